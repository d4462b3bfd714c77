from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0009_ended")]

    operations = [
        migrations.AddField(
            model_name="contradiction",
            name="told_at",
            field=models.DateTimeField(help_text="when an agent was given it to ask", null=True),
        ),
    ]
