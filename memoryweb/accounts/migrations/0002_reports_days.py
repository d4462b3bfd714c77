from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_house")]

    operations = [
        migrations.AddField(
            "team",
            "reports_days",
            models.IntegerField(help_text="the same of what old runs told", null=True),
        ),
    ]
