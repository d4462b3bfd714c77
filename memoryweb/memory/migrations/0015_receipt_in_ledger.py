from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0014_narrow_rows")]

    operations = [
        migrations.AddField(
            "receipt",
            "in_ledger",
            models.BooleanField(
                default=False, help_text="told outside the database: no backup brings it back"
            ),
        ),
    ]
