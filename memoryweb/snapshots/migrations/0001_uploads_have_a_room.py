import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0005_shared_write_reason"),
        ("agents", "0003_global_agent"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    # The tables are there already, under the names they were made with.
    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="Upload",
                    fields=[
                        (
                            "id",
                            models.UUIDField(
                                default=uuid.uuid4,
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        ("archive", models.BinaryField()),
                        ("expires_at", models.DateTimeField()),
                        (
                            "agent",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="uploads",
                                to="agents.agent",
                            ),
                        ),
                        (
                            "owner",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="agents.owner",
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
                        (
                            "user",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "db_table": "workspace_upload",
                        "indexes": [
                            models.Index(fields=["expires_at"], name="workspace_upload_age")
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("team", "user"), name="workspace_upload_one"
                            )
                        ],
                    },
                ),
            ]
        )
    ]
