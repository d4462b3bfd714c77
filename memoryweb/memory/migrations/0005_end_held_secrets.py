from collections import defaultdict
from typing import Any
from uuid import UUID

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django_scopes import scopes_disabled

from memoryweb.audit.record import SYSTEM, Entry, record_all


def end(apps: StateApps, _schema: BaseDatabaseSchemaEditor) -> None:
    """What waits counts as a secret, and its event says where it stands; what a person let pass
    does so from now on by another table."""
    held = apps.get_model("memory", "HeldSecret").objects
    entries: dict[UUID, list[Entry]] = defaultdict(list)
    for row in held.filter(state="waiting").select_related("message").order_by("created_at", "pk"):
        entries[row.team_id].append(_refused(row))
    with scopes_disabled():
        for team_id, of_team in entries.items():
            record_all(team_id, of_team)
    no_secret = apps.get_model("memory", "NoSecret")
    passing: dict[tuple[Any, ...], Any] = {}
    for row in held.filter(state="released").order_by("created_at", "pk"):
        key = (row.team_id, row.owner_id, row.fingerprint)
        said = {"said_by_id": row.decided_by_id, "said_at": row.decided_at or row.created_at}
        names = ("team_id", "owner_id", "fingerprint")
        passing.setdefault(key, no_secret(**dict(zip(names, key, strict=True)), **said))
    no_secret.objects.bulk_create(passing.values())
    apps.get_model("memory", "ReviewItem").objects.filter(kind="secret").delete()
    held.all().delete()


def _refused(row: Any) -> Entry:
    place = {"kind": row.kind, "line": row.line, "length": row.length}
    if row.message is not None:
        target, target_id = "conversation", row.message.conversation_id
        place["message"] = row.message.position
    else:
        target, target_id = "file", row.file_id
    return Entry(
        "secret.decided",
        SYSTEM,
        target_kind=target,
        target_id=target_id or "",
        target_revision=row.revision,
        on_behalf_of=row.owner_id,
        reason_code="refused",
        agent_id=row.agent_id,
        details=place,
    )


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_house"), ("memory", "0004_no_secrets")]

    operations = [migrations.RunPython(end, migrations.RunPython.noop)]
