from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_house")]

    operations = [
        migrations.RemoveIndex("event", "audit_event_run"),
        migrations.RemoveIndex("event", "audit_event_actor"),
        migrations.RemoveIndex("event", "audit_event_agent"),
        migrations.AddIndex(
            "event",
            models.Index(
                fields=["team_id", "run_id"],
                condition=Q(run_id__isnull=False),
                name="audit_event_of_run",
            ),
        ),
        migrations.AddIndex(
            "event",
            models.Index(
                fields=["team_id", "actor_id", "-seq"],
                condition=~Q(actor_id=""),
                name="audit_event_of_actor",
            ),
        ),
        migrations.AddIndex(
            "event",
            models.Index(
                fields=["team_id", "agent_id", "-seq"],
                condition=Q(agent_id__isnull=False),
                name="audit_event_of_agent",
            ),
        ),
    ]
