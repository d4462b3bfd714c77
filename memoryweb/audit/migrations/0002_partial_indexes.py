from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_house")]

    operations = [
        migrations.RemoveIndex("event", "audit_event_run"),
        migrations.AddIndex(
            "event",
            models.Index(
                fields=["team_id", "run_id"],
                condition=Q(run_id__isnull=False),
                name="audit_event_of_run",
            ),
        ),
    ]
