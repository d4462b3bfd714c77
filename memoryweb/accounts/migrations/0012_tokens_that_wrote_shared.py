"""Live tokens that could write what every prompt gives, so that an admin can let them again."""

from typing import Any

from django.db import migrations
from django.utils import timezone

_WRITING = {"memory:write", "snapshot:import"}
_BATCH = 500


def list_tokens(apps: Any, _schema_editor: Any) -> None:
    tokens, memberships = (apps.get_model("accounts", name) for name in ("Token", "Membership"))
    writers = memberships._base_manager.filter(role__in=["member", "admin"])
    people = set(writers.values_list("team", "user"))
    live = tokens._base_manager.filter(revoked_at=None, expires_at__gt=timezone.now())
    rows = live.filter(act_as_person=False).values_list("pk", "team", "user", "scopes")
    found = [
        pk
        for pk, team, user, scopes in rows
        if _WRITING & set(scopes)
        and "shared:write" not in scopes
        and (user is None or (team, user) in people)
    ]
    for first in range(0, len(found), _BATCH):
        part = found[first : first + _BATCH]
        tokens._base_manager.filter(pk__in=part).update(wrote_shared=True)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0011_token_shared_write"),
    ]

    operations = [
        migrations.RunPython(list_tokens, migrations.RunPython.noop),
    ]
