from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def both_off(apps: StateApps, _schema: BaseDatabaseSchemaEditor) -> None:
    """A pause was of both until now."""
    owners = apps.get_model("agents", "Owner").objects.filter(paused=True)
    owners.update(keeping=False, using=False)


class Migration(migrations.Migration):
    dependencies = [("agents", "0002_extractor")]

    operations = [
        migrations.AddField("owner", "keeping", models.BooleanField(default=True)),
        migrations.AddField("owner", "using", models.BooleanField(default=True)),
        migrations.RunPython(both_off, migrations.RunPython.noop),
        migrations.RemoveField("owner", "paused"),
    ]
