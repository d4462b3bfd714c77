from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("agents", "0004_local_models")]

    operations = [
        migrations.AddField(
            "agent",
            "language",
            models.CharField(
                "language",
                max_length=8,
                choices=[("en", "English"), ("de", "Deutsch"), ("ja", "日本語")],
                default="en",
            ),
        ),
    ]
