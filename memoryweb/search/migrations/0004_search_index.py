from django.db import migrations

from memoryweb.search import index


def _create(_apps: object, editor: object) -> None:
    index.create(editor.connection.alias)


def _drop(_apps: object, editor: object) -> None:
    index.drop(editor.connection.alias)


class Migration(migrations.Migration):
    dependencies = [("recall", "0003_passage_places")]

    operations = [migrations.RunPython(_create, _drop)]
