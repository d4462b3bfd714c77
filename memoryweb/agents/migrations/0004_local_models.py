from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agents", "0003_keep_and_use")]

    operations = [
        migrations.AddField(
            "agent",
            "local_models_only",
            models.BooleanField("asks local models only", default=False),
        ),
    ]
