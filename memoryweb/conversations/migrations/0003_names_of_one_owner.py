from django.db import migrations, models


class Migration(migrations.Migration):
    """An id that a client gave belongs to its owner. The agent and the id stand first: a question
    that names no owner walks the same index."""

    dependencies = [
        ("agents", "0003_global_agent"),
        ("conversations", "0002_message_token"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="conversation", name="conversations_conversation_external"
        ),
        migrations.AddConstraint(
            model_name="conversation",
            constraint=models.UniqueConstraint(
                fields=("agent", "external_id", "owner"), name="conversations_conversation_named"
            ),
        ),
    ]
