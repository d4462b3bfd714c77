import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import memoryweb.fields


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0001_initial"),
        ("conversations", "0009_messages_of_imports"),
    ]

    operations = [
        migrations.CreateModel(
            name="Marker",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("upto", models.IntegerField(help_text="position of the last archived message")),
                ("count", models.IntegerField(default=0, help_text="messages that were archived")),
                ("archive_name", memoryweb.fields.PlainCharField(blank=True, max_length=200)),
                ("archived_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "conversation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="markers",
                        db_index=False,
                        to="conversations.conversation",
                    ),
                ),
                (
                    "recap_of",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="conversations.conversation",
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="accounts.team",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("conversation", "upto"), name="conversations_marker_at"
                    )
                ],
            },
        ),
    ]
