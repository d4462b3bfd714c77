from datetime import UTC, datetime

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0004_reverted")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="turn_at",
            field=models.DateTimeField(
                default=datetime(1970, 1, 1, tzinfo=UTC),
                help_text="when its agent, owner and kind last had their turn",
            ),
        ),
    ]
