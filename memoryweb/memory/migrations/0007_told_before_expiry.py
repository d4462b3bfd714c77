from datetime import timedelta

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.utils import timezone


def give_a_week(apps: StateApps, _schema: BaseDatabaseSchemaEditor) -> None:
    """What waits of somebody's own memory expires after 30 days from now on. Who was never told
    so is told by the mail of the 25th day first."""
    began = timezone.now() - timedelta(days=23)
    waiting = apps.get_model("memory", "Proposal").objects.filter(
        state="pending", created_at__lt=began, file__owner__isnull=False
    )
    waiting.exclude(file__owner__source="system").update(created_at=began)


class Migration(migrations.Migration):
    dependencies = [("memory", "0006_no_held_secrets")]

    operations = [migrations.RunPython(give_a_week, migrations.RunPython.noop)]
