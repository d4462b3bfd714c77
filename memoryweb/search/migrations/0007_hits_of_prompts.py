from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("recall", "0006_plain_tokens")]

    operations = [
        migrations.AddField(
            model_name="injection",
            name="hits",
            field=models.IntegerField(
                default=0, help_text="found for its message; 0: memory was silent"
            ),
        ),
    ]
