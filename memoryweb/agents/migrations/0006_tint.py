from collections import Counter

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

TINTS = 8


def apart(apps: StateApps, _schema: BaseDatabaseSchemaEditor) -> None:
    """Each agent another one than its team's older ones, as long as there is one."""
    agents = apps.get_model("agents", "Agent").objects.filter(archived_at=None)
    used: dict[object, Counter[int]] = {}
    for agent in agents.order_by("created_at", "pk").iterator():
        its = used.setdefault(agent.team_id, Counter())
        agent.tint = min(range(1, TINTS + 1), key=lambda one: (its[one], one))
        its[agent.tint] += 1
        agent.save(update_fields=["tint"])


class Migration(migrations.Migration):
    dependencies = [("agents", "0005_language")]

    operations = [
        migrations.AddField("agent", "tint", models.SmallIntegerField(default=1)),
        migrations.RunPython(apart, migrations.RunPython.noop),
    ]
