from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notify", "0003_slack")]

    operations = [
        migrations.AddField(
            model_name="mailnotice",
            name="heads",
            field=models.BooleanField(default=False, help_text="signed ones of the audit log"),
        ),
    ]
