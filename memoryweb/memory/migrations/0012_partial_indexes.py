from django.db import migrations, models
from django.db.models import Q

# Their rows would be written again, and the search index with them, if Django changed the columns.
_TOKEN, _MESSAGE = "conversations_message_token_id_8685baed", "recall_passage_message_id_797f5d4d"


class Migration(migrations.Migration):
    dependencies = [("memory", "0011_remembered_until")]

    operations = [
        migrations.RemoveIndex("passage", "recall_passage_of_owner"),
        migrations.RemoveIndex("passage", "recall_passage_file"),
        migrations.RemoveIndex("conversation", "conversations_waiting"),
        migrations.SeparateDatabaseAndState(
            [
                migrations.RunSQL(
                    f"DROP INDEX IF EXISTS {_MESSAGE}",
                    f"CREATE INDEX {_MESSAGE} ON recall_passage (message_id)",
                ),
                migrations.RunSQL(
                    f"DROP INDEX IF EXISTS {_TOKEN}",
                    f"CREATE INDEX {_TOKEN} ON conversations_message (token_id)",
                ),
            ],
            [
                migrations.AlterField(
                    "passage",
                    "message",
                    models.ForeignKey(
                        "memory.message",
                        models.CASCADE,
                        db_index=False,
                        null=True,
                        related_name="passages",
                    ),
                ),
                migrations.AlterField(
                    "message",
                    "token",
                    models.ForeignKey(
                        "accounts.token",
                        models.SET_NULL,
                        db_index=False,
                        null=True,
                        related_name="+",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            "passage",
            models.Index(
                fields=["file", "line"],
                condition=Q(file__isnull=False),
                name="recall_passage_of_file",
            ),
        ),
        migrations.AddIndex(
            "passage",
            models.Index(
                fields=["message"],
                condition=Q(message__isnull=False),
                name="recall_passage_of_message",
            ),
        ),
        migrations.AddIndex(
            "conversation",
            models.Index(
                fields=["team", "agent", "owner"],
                condition=Q(waiting=True),
                name="conversations_that_wait",
            ),
        ),
        migrations.AddIndex(
            "message",
            models.Index(
                fields=["token"],
                condition=Q(token__isnull=False),
                name="conversations_message_token",
            ),
        ),
    ]
