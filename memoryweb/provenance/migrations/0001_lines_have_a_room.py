import django.db.models.deletion
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
                    name="KeptLine",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "fingerprint",
                            memoryweb.fields.PlainCharField(
                                help_text="keyed hash of the line", max_length=64
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
                        "db_table": "workspace_keptline",
                        "indexes": [
                            models.Index(fields=["team", "fingerprint"], name="workspace_kept_line")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="LineOrigin",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        ("line", models.IntegerField(help_text="1-based, in the current text")),
                        (
                            "since",
                            models.IntegerField(help_text="the revision that brought the line"),
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
                        ("source_revision", models.IntegerField(null=True)),
                        ("source_line", models.IntegerField(null=True)),
                        ("durable", models.BooleanField(default=False)),
                        (
                            "asked",
                            models.BooleanField(
                                default=False, help_text="a person asked to remember it"
                            ),
                        ),
                        ("category", memoryweb.fields.PlainCharField(blank=True, max_length=16)),
                        (
                            "released",
                            models.BooleanField(
                                default=False, help_text="a person lets machines change it"
                            ),
                        ),
                        (
                            "marks",
                            memoryweb.fields.PlainCharField(
                                blank=True,
                                help_text="what a person should look at, joined by commas",
                                max_length=60,
                            ),
                        ),
                        (
                            "file",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="origins",
                                to="workspace.file",
                            ),
                        ),
                        (
                            "message",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="line_origins",
                                to="conversations.message",
                            ),
                        ),
                        (
                            "root",
                            models.ForeignKey(
                                help_text="that first wrote down what the line says, in this file or in the source",
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="workspace.revision",
                            ),
                        ),
                        (
                            "run",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.RESTRICT,
                                related_name="+",
                                to="runs.run",
                            ),
                        ),
                        (
                            "source_file",
                            models.ForeignKey(
                                db_index=False,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="workspace.file",
                            ),
                        ),
                        (
                            "team",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="accounts.team",
                            ),
                        ),
                        (
                            "user",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "db_table": "workspace_lineorigin",
                        "indexes": [
                            models.Index(fields=["file", "line"], name="workspace_origin_line"),
                            models.Index(
                                condition=models.Q(("marks", ""), _negated=True),
                                fields=["team"],
                                name="workspace_origin_flagged",
                            ),
                            models.Index(
                                condition=models.Q(("source_file__isnull", False)),
                                fields=["source_file", "source_line"],
                                name="workspace_origin_from",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="PastOrigin",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True,
                                primary_key=True,
                                serialize=False,
                                verbose_name="ID",
                            ),
                        ),
                        (
                            "gone",
                            models.IntegerField(help_text="the revision that took the line away"),
                        ),
                        ("line", models.IntegerField(help_text="1-based, in the text before that")),
                        (
                            "since",
                            models.IntegerField(help_text="the revision that brought the line"),
                        ),
                        ("source_revision", models.IntegerField(null=True)),
                        ("source_line", models.IntegerField(null=True)),
                        ("durable", models.BooleanField(default=False)),
                        ("asked", models.BooleanField(default=False)),
                        ("category", memoryweb.fields.PlainCharField(blank=True, max_length=16)),
                        (
                            "file",
                            models.ForeignKey(
                                db_index=False,
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
                            "root",
                            models.ForeignKey(
                                help_text="that first wrote down what the line says, in this file or in the source",
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="workspace.revision",
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
                        "db_table": "workspace_pastorigin",
                        "indexes": [
                            models.Index(fields=["file", "gone"], name="workspace_past_origin_gone")
                        ],
                    },
                ),
            ]
        )
    ]
