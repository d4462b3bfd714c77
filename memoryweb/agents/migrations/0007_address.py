import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import memoryweb.core.tables

PURPOSES = [
    ("link", "Link to an account"),
    ("visit", "Open My memory"),
    ("address", "Confirm an e-mail address"),
]


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0004_company_accounts"),
        ("agents", "0006_tint"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            "onetimecode",
            "issued_by",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AlterField(
            "onetimecode", "purpose", models.CharField(choices=PURPOSES, max_length=8)
        ),
        migrations.CreateModel(
            "OwnerAddress",
            [
                (
                    "owner",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="address",
                        serialize=False,
                        to="agents.owner",
                    ),
                ),
                ("sealed_key", models.BinaryField(help_text="the address")),
                ("language", memoryweb.core.tables.PlainCharField(max_length=8)),
                (
                    "tries",
                    models.IntegerField(default=0, help_text="wrong codes for this address"),
                ),
                ("confirmed_at", models.DateTimeField(null=True)),
                (
                    "integration",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="accounts.integration",
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
            options={"abstract": False},
        ),
    ]
