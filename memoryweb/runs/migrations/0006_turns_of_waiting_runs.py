from django.db import migrations
from django.db.models import Max


def fill(apps, schema_editor):
    runs = apps.get_model("runs", "Run")._base_manager.using(schema_editor.connection.alias)
    for run in runs.filter(status__in=["queued", "failed"], due_at__isnull=False).iterator():
        alike = runs.filter(agent=run.agent_id, owner=run.owner_id, kind=run.kind)
        last = alike.filter(finished_at__isnull=False).aggregate(at=Max("finished_at"))["at"]
        if last:
            runs.filter(pk=run.pk).update(turn_at=last)


class Migration(migrations.Migration):
    dependencies = [("runs", "0005_turns")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
