from django.db import migrations

from memoryweb.core import tables


class Migration(migrations.Migration):
    dependencies = [("memory", "0018_metadata")]

    operations = [
        migrations.AddField(
            "message",
            "unnoted",
            tables.PlainJSONField(
                help_text="[[first, last]] of its characters that no extraction reads", null=True
            ),
        )
    ]
