from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0009_language"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="theme",
            field=models.CharField(
                blank=True,
                choices=[("", "As on this device"), ("light", "Light"), ("dark", "Dark")],
                default="",
                help_text="empty: the device's",
                max_length=8,
            ),
        ),
    ]
