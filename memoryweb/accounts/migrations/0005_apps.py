import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0004_company_accounts"),
        ("allauth_idp_oidc", "0003_client_allow_uri_wildcards"),
    ]

    operations = [
        migrations.AddField(
            "token",
            "client",
            models.ForeignKey(
                help_text="an app that its person let in, by OAuth",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="grants",
                to="allauth_idp_oidc.client",
            ),
        ),
        migrations.AddField(
            "token",
            "agent_id",
            models.UUIDField(help_text="all that it may use; null: the team's", null=True),
        ),
        migrations.AddField(
            "token",
            "secret_until",
            models.DateTimeField(help_text="an app has to renew it by then", null=True),
        ),
    ]
