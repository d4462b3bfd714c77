from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0008_indexes_that_others_cover"),
    ]

    operations = [
        migrations.AlterField(
            model_name="run",
            name="trigger",
            field=models.CharField(
                choices=[
                    ("cron", "Schedule"),
                    ("person", "Person"),
                    ("api", "API"),
                    ("command", "Command"),
                    ("conversation", "Conversation"),
                    ("backfill", "Backfill"),
                ],
                max_length=12,
            ),
        ),
    ]
