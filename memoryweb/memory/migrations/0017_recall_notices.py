import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_reports_days"),
        ("memory", "0016_vectors"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            "conversation",
            "notices_until",
            models.DateTimeField(
                help_text="until then a recall notice waits for its next prompt", null=True
            ),
        ),
        migrations.CreateModel(
            "RecallNotice",
            [
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sent_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "told_at",
                    models.DateTimeField(help_text="when a prompt had it", null=True),
                ),
                (
                    "conversation",
                    models.ForeignKey("memory.conversation", models.CASCADE, related_name="+"),
                ),
                (
                    "fact",
                    models.ForeignKey(
                        "memory.fact",
                        models.CASCADE,
                        db_index=False,
                        related_name="recall_notices",
                    ),
                ),
                (
                    "sent_by",
                    models.ForeignKey(
                        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        "accounts.team", models.CASCADE, db_index=False, related_name="+"
                    ),
                ),
            ],
            options={
                "db_table": "recall_notice",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("fact", "conversation"), name="recall_notice_once"
                    )
                ],
            },
        ),
    ]
