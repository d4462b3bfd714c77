from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("runs", "0006_turns_of_waiting_runs")]

    operations = [
        migrations.AddIndex(
            model_name="run",
            index=models.Index(
                fields=["team", "turn_at", "due_at", "id"],
                condition=Q(due_at__isnull=False),
                name="runs_turns",
            ),
        ),
    ]
