import uuid

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import memoryweb.fields


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0005_shared_write_reason"),
        ("agents", "0003_global_agent"),
        ("conversations", "0006_indexes_that_others_cover"),
        ("runs", "0008_indexes_that_others_cover"),
        ("workspace", "0016_no_proposals_of_programs_before"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    # The tables are there already, under the names they were made with.
    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="HeldSecret",
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
                        ("revision", models.IntegerField(null=True)),
                        ("line", models.IntegerField(default=0)),
                        ("kind", memoryweb.fields.PlainCharField(max_length=40)),
                        ("length", models.IntegerField(help_text="characters")),
                        (
                            "fingerprint",
                            memoryweb.fields.PlainCharField(
                                help_text="keyed hash of the value", max_length=64
                            ),
                        ),
                        (
                            "author_kind",
                            models.CharField(
                                choices=[
                                    ("person", "Person"),
                                    ("agent", "Agent"),
                                    ("extraction", "Extraction"),
                                    ("dream", "Dream"),
                                    ("import", "Import"),
                                    ("system", "System"),
                                ],
                                max_length=12,
                            ),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("waiting", "Waiting for a decision"),
                                    ("released", "No secret"),
                                    ("refused", "A secret"),
                                    ("expired", "Not decided in time"),
                                ],
                                default="waiting",
                                max_length=8,
                            ),
                        ),
                        ("decided_at", models.DateTimeField(null=True)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        (
                            "agent",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="held_secrets",
                                to="agents.agent",
                            ),
                        ),
                        (
                            "decided_by",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "file",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="held_secrets",
                                to="workspace.file",
                            ),
                        ),
                        (
                            "message",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="held_secrets",
                                to="conversations.message",
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
                    ],
                    options={
                        "db_table": "workspace_heldsecret",
                        "indexes": [
                            models.Index(
                                fields=["team", "state", "-created_at"], name="workspace_held_state"
                            ),
                            models.Index(
                                fields=["team", "fingerprint"], name="workspace_held_fingerprint"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Proposal",
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
                        ("base_revision", models.IntegerField()),
                        ("content", memoryweb.fields.ErasableTextField()),
                        (
                            "origins",
                            memoryweb.fields.PlainJSONField(
                                default=dict,
                                help_text="line number → sources, applied on acceptance",
                            ),
                        ),
                        (
                            "broken",
                            memoryweb.fields.PlainJSONField(
                                default=list, help_text="[{guard, detail}] with numbers, no text"
                            ),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("pending", "Waiting for a decision"),
                                    ("accepted", "Accepted"),
                                    ("rejected", "Rejected"),
                                    ("replaced", "Replaced by a newer proposal"),
                                ],
                                default="pending",
                                max_length=8,
                            ),
                        ),
                        ("decided_at", models.DateTimeField(null=True)),
                        ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                        (
                            "batch",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="workspace.import",
                            ),
                        ),
                        (
                            "conversation",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="conversations.conversation",
                            ),
                        ),
                        (
                            "decided_by",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "file",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="proposals",
                                to="workspace.file",
                            ),
                        ),
                        (
                            "run",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.RESTRICT,
                                related_name="proposals",
                                to="runs.run",
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
                            "token",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="accounts.token",
                            ),
                        ),
                    ],
                    options={
                        "db_table": "workspace_proposal",
                        "indexes": [
                            models.Index(
                                fields=["team", "state", "-created_at"],
                                name="workspace_proposal_state",
                            )
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("run", "file"), name="workspace_proposal_run_file"
                            )
                        ],
                    },
                ),
            ]
        )
    ]
