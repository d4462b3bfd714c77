from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("dreaming", "0003_operations")]

    operations = [
        migrations.RemoveField(model_name="report", name="disputed"),
        migrations.RemoveField(model_name="report", name="summary"),
    ]
