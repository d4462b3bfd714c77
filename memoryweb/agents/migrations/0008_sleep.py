from django.db import migrations, models

import memoryweb.core.tables

INJECTIONS = [("files", "The enabled files"), ("summary", "The summary in place of MEMORY.md")]


class Migration(migrations.Migration):
    dependencies = [("agents", "0007_address")]

    operations = [
        migrations.AddField(
            "agent",
            "injection",
            models.CharField(
                choices=INJECTIONS,
                default="files",
                max_length=8,
                verbose_name="what its prompt begins with",
            ),
        ),
        migrations.AddField(
            "agent",
            "shadow_journal",
            models.BooleanField(default=False, verbose_name="looks at each turn at once"),
        ),
        migrations.AddField(
            "agent",
            "journal_model",
            memoryweb.core.tables.PlainCharField(
                blank=True, default="", max_length=120, verbose_name="the journaler's model"
            ),
        ),
        migrations.AddField(
            "agent",
            "journal_tokens",
            models.IntegerField(
                default=50000, verbose_name="tokens a day that the journaler may use"
            ),
        ),
    ]
