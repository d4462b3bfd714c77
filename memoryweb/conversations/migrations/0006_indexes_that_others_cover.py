import django.db.models.deletion
from django.db import migrations, models

from memoryweb.indexes import WithoutIndex


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0005_shared_write_reason"),
        ("agents", "0003_global_agent"),
        ("conversations", "0005_message_reverted"),
    ]

    operations = [
        WithoutIndex(
            model_name="conversation",
            name="agent",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="conversations",
                to="agents.agent",
            ),
        ),
        WithoutIndex(
            model_name="conversation",
            name="team",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="accounts.team",
            ),
        ),
        WithoutIndex(
            model_name="message",
            name="conversation",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="messages",
                to="conversations.conversation",
            ),
        ),
        WithoutIndex(
            model_name="message",
            name="team",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="accounts.team",
            ),
        ),
    ]
