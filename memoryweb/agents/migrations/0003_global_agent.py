import uuid

from django.db import migrations

GLOBAL_AGENT_ID = uuid.UUID("6d656d6f-7279-5765-8000-676c6f62616c")


def create(apps, schema_editor):
    alias = schema_editor.connection.alias
    team = apps.get_model("accounts", "Team").objects.using(alias).get(is_system=True)
    apps.get_model("agents", "Agent")._base_manager.using(alias).get_or_create(
        pk=GLOBAL_AGENT_ID,
        defaults={
            "team": team,
            "name": "global",
            "folded_name": "global",
            "is_global": True,
            "dreaming": False,
            "auto_summarize": False,
        },
    )


class Migration(migrations.Migration):
    dependencies = [("agents", "0002_one_time_code"), ("accounts", "0003_invitation")]

    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
