from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0010_questions")]

    operations = [
        migrations.AddField(
            "fact",
            "remembered_until",
            models.DateField(
                help_text="what a person chose as `valid_to`, whatever the text says", null=True
            ),
        ),
    ]
