import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("conversations", "0002_message_token"),
        ("workspace", "0007_past_origins"),
    ]

    operations = [
        migrations.AlterField(
            model_name="revision",
            name="conversation",
            field=models.ForeignKey(
                help_text="that a tool was called in, or that was extracted",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="conversations.conversation",
            ),
        ),
    ]
