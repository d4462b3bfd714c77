from collections import defaultdict

from django.db import migrations


def number(apps, schema_editor):
    """Files that stood in `entries/` before."""
    files = apps.get_model("workspace", "File").objects.using(schema_editor.connection.alias)
    entries = apps.get_model("entries", "Entry").objects.using(schema_editor.connection.alias)
    last = defaultdict(int)
    standing = files.filter(folded_path__startswith="entries/").order_by("created_at", "pk")
    for file in standing.only("team", "agent", "owner", "folded_path", "created_at"):
        if file.folded_path.count("/") == 1:
            last[file.agent_id, file.owner_id] += 1
            entries.create(
                team_id=file.team_id,
                agent_id=file.agent_id,
                owner_id=file.owner_id,
                file=file,
                number=last[file.agent_id, file.owner_id],
                created_at=file.created_at,
            )


class Migration(migrations.Migration):
    dependencies = [("entries", "0001_initial")]
    operations = [migrations.RunPython(number, migrations.RunPython.noop)]
