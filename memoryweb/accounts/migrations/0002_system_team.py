from django.db import migrations


def create(apps, schema_editor):
    teams = apps.get_model("accounts", "Team").objects.using(schema_editor.connection.alias)
    teams.get_or_create(is_system=True, defaults={"name": "System", "slug": "system"})


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial")]

    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
