import django.db.models.deletion
from django.db import migrations, models

import memoryweb.fields


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_invitation"),
        ("conversations", "0002_message_token"),
        ("workspace", "0006_upload"),
    ]

    operations = [
        migrations.CreateModel(
            name="PastOrigin",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("gone", models.IntegerField(help_text="the revision that took the line away")),
                ("line", models.IntegerField(help_text="1-based, in the text before that")),
                ("since", models.IntegerField(help_text="the revision that brought the line")),
                ("source_revision", models.IntegerField(null=True)),
                ("source_line", models.IntegerField(null=True)),
                ("durable", models.BooleanField(default=False)),
                ("asked", models.BooleanField(default=False)),
                ("category", memoryweb.fields.PlainCharField(blank=True, max_length=16)),
                (
                    "file",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="past_origins",
                        to="workspace.file",
                    ),
                ),
                (
                    "message",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="conversations.message",
                    ),
                ),
                (
                    "source_file",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="workspace.file",
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
                "indexes": [
                    models.Index(fields=["file", "gone"], name="workspace_past_origin_gone")
                ],
            },
        ),
    ]
