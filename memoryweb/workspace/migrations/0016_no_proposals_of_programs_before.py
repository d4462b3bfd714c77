from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def forget(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """Going back: earlier versions know only proposals of runs."""
    apps.get_model("workspace", "Proposal")._base_manager.filter(run=None).delete()


class Migration(migrations.Migration):
    dependencies = [("workspace", "0015_proposals_of_programs")]

    operations = [migrations.RunPython(migrations.RunPython.noop, forget)]
