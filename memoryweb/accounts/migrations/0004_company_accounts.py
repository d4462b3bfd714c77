import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0003_quotas")]

    operations = [
        migrations.AddField(
            "membership",
            "by_group",
            models.BooleanField(default=False, help_text="given by the company's account"),
        ),
        migrations.CreateModel(
            "Identity",
            [
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("issuer", models.CharField(max_length=255)),
                ("subject", models.CharField(max_length=255)),
                (
                    "valid_until",
                    models.DateTimeField(help_text="null: that it is over was recorded", null=True),
                ),
                (
                    "sealed_key",
                    models.BinaryField(default=bytes, help_text="a refresh token; empty: none"),
                ),
                (
                    "check_at",
                    models.DateTimeField(help_text="when that token is used next", null=True),
                ),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("issuer", "subject"), name="accounts_identity_once"
                    )
                ]
            },
        ),
    ]
