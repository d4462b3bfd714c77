import django.db.models.deletion
from django.db import migrations, models

import memoryweb.fields


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0005_shared_write_reason"),
        ("dreaming", "0002_indexes_that_others_cover"),
    ]

    operations = [
        migrations.CreateModel(
            name="Operation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.IntegerField()),
                ("does", memoryweb.fields.PlainCharField(max_length=8)),
                (
                    "why",
                    memoryweb.fields.PlainCharField(
                        blank=True, help_text="why statements left", max_length=10
                    ),
                ),
                ("code", memoryweb.fields.PlainCharField(blank=True, max_length=24)),
                ("values", memoryweb.fields.PlainJSONField(default=dict)),
                ("waits", memoryweb.fields.PlainCharField(blank=True, max_length=8)),
                (
                    "before",
                    memoryweb.fields.ErasableJSONField(
                        default=list, help_text="texts of the statements that left"
                    ),
                ),
                ("after", memoryweb.fields.ErasableTextField(blank=True)),
                (
                    "against",
                    memoryweb.fields.ErasableTextField(
                        blank=True, help_text="what stands against it"
                    ),
                ),
                (
                    "sources",
                    memoryweb.fields.PlainJSONField(
                        default=list, help_text="[{file, path, revision, line}]"
                    ),
                ),
                (
                    "report",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="operations",
                        to="dreaming.report",
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
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("report", "position"), name="dreaming_operation_once"
                    )
                ],
            },
        ),
    ]
