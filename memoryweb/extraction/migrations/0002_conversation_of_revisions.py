from typing import Any

from django.db import migrations


def name_conversations(apps: Any, _schema_editor: Any) -> None:
    """What an extraction wrote leads to its conversation, also what was written before this."""
    extraction = apps.get_model("extraction", "Extraction")
    revision = apps.get_model("workspace", "Revision")
    rows = extraction.objects.exclude(written=[]).values_list("run", "conversation", "written")
    for run_id, conversation_id, written in rows.iterator():
        for place in written:
            if "revision" in place:
                revision.objects.filter(
                    file=place["file"], number=place["revision"], run=run_id, conversation=None
                ).update(conversation=conversation_id)


class Migration(migrations.Migration):
    dependencies = [
        ("extraction", "0001_initial"),
        ("workspace", "0008_revision_conversation"),
    ]

    operations = [migrations.RunPython(name_conversations, migrations.RunPython.noop)]
