from django.db import migrations

import memoryweb.core.tables


class Migration(migrations.Migration):
    dependencies = [("memory", "0008_short_chats_wait")]

    operations = [
        migrations.AddField(
            model_name="fact",
            name="raw_ended",
            field=memoryweb.core.tables.ErasableJSONField(
                db_column="ended",
                help_text="[[first day, words]] of what holds no longer",
                null=True,
            ),
        ),
    ]
