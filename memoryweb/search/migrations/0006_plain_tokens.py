from django.db import migrations

from memoryweb.fields import ErasableTextField
from memoryweb.search import index


def _drop(_apps: object, editor: object) -> None:
    index.drop(editor.connection.alias)


def _create(_apps: object, editor: object) -> None:
    index.create(editor.connection.alias)


class Migration(migrations.Migration):
    """The index is made again after `migrate`, from passages that are made again as well."""

    dependencies = [("recall", "0005_indexes_that_others_cover")]

    operations = [
        migrations.RunPython(_drop, _create),
        migrations.RemoveField(model_name="passage", name="conversation"),
        migrations.AlterField(
            model_name="passage",
            name="text",
            field=ErasableTextField(blank=True, help_text="of a block; a message has its own"),
        ),
        migrations.AlterField(
            model_name="passage",
            name="tokens",
            field=ErasableTextField(help_text="each with its field in front, by spaces"),
        ),
    ]
