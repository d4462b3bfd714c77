from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

CHOICES = [
    ("auto", "The model when one is configured, else the rules"),
    ("rules", "The rules, never a model"),
    ("model", "The model"),
]


def as_dreams(apps: StateApps, _schema: BaseDatabaseSchemaEditor) -> None:
    """What an agent chose for both until now."""
    agents = apps.get_model("agents", "Agent").objects.all()
    agents.update(extractor=models.F("consolidator"))


class Migration(migrations.Migration):
    dependencies = [("agents", "0001_house")]

    operations = [
        migrations.AddField(
            "agent",
            "extractor",
            models.CharField(
                "what takes the notes", choices=CHOICES, default="auto", max_length=8
            ),
        ),
        migrations.RunPython(as_dreams, migrations.RunPython.noop),
    ]
