from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("conversations", "0006_indexes_that_others_cover")]

    operations = [
        migrations.AddField(
            model_name="conversation",
            name="several_names",
            field=models.BooleanField(
                default=False, help_text="its user messages carry more than one name"
            ),
        ),
    ]
