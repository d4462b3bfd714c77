from django.db import migrations

import memoryweb.core.tables


class Migration(migrations.Migration):
    dependencies = [("memory", "0017_recall_notices")]

    operations = [
        migrations.AddField(
            "fact",
            "metadata",
            memoryweb.core.tables.ErasableJSONField(
                help_text="what a program sent with it; given to no prompt",
                null=True,
            ),
        ),
    ]
