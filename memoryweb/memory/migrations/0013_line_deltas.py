from django.db import migrations

from memoryweb.core import tables


class Migration(migrations.Migration):
    dependencies = [("memory", "0012_partial_indexes")]

    operations = [
        migrations.AddField(
            "revision",
            "edits",
            tables.PlainJSONField(null=True, help_text="[at, gone, new] lines of the text before"),
        )
    ]
