from django.db import migrations
from django.db.models import F, OuterRef, Subquery

SOURCES = {
    "person": "person",
    "agent": "agent",
    "extraction": "owner",
    "dream": "dream",
    "import": "import",
}


def fill(apps, schema_editor):
    """What earlier revisions would have said: files could not be renamed until now."""
    alias = schema_editor.connection.alias
    revisions = apps.get_model("workspace", "Revision").objects.using(alias)
    files = apps.get_model("workspace", "File").objects.using(alias)
    revisions.update(path=Subquery(files.filter(pk=OuterRef("file")).values("path")))
    for author_kind, source in SOURCES.items():
        revisions.filter(author_kind=author_kind).update(source=source)
    own = files.filter(owner__person=F("revisions__user"))
    revisions.filter(author_kind="person", file__in=own.values("pk")).update(source="owner")


class Migration(migrations.Migration):
    dependencies = [("workspace", "0004_provenance")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
