import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import memoryweb.core.tables


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0001_house"),
        ("agents", "0001_house"),
        ("memory", "0003_review_items"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="NoSecret",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("fingerprint", memoryweb.core.tables.PlainCharField(help_text="keyed hash of the value", max_length=64)),
                ("said_at", models.DateTimeField()),
                ("owner", models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="agents.owner")),
                ("said_by", models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("team", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to="accounts.team")),
            ],
            options={
                "indexes": [models.Index(fields=["team", "fingerprint"], name="memory_no_secret")],
            },
        ),
    ]
