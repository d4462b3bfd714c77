"""Upgrades a database of an earlier version, in a process of its own, and says what came of it.

    python -m tests.upgrade.upgrading tests/upgrade/<version>-<database>.sql.gz [share]

The database is that of the environment, and empty. With a share of four each fourth page is asked.
"""

import gc
import gzip
import io
import json
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing, redirect_stdout
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import django
from django.conf import settings

gc.disable()  # as in tests/migrated.py
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryweb.settings")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test.utils import setup_test_environment  # noqa: E402
from django.utils import timezone  # noqa: E402
from django_scopes import scopes_disabled  # noqa: E402

from memoryweb.accounts.models import Team, User  # noqa: E402
from memoryweb.audit.models import Event  # noqa: E402
from memoryweb.audit.triggers import missing  # noqa: E402
from memoryweb.memory.forgetting import erasing  # noqa: E402
from memoryweb.memory.models import (  # noqa: E402
    Fact,
    ForgetRequest,
    NoSecret,
    Receipt,
    ReviewItem,
)
from memoryweb.runs import engine  # noqa: E402
from tests.commands.calling import run  # noqa: E402
from tests.walls.web_calls import call, named  # noqa: E402
from tests.walls.web_routes import PAGES  # noqa: E402
from tests.walls.web_stage import Stage  # noqa: E402
from tests.world import signed_in  # noqa: E402

_MOVES = import_module("memoryweb.memory.migrations.0002_content_types")
_MOVED = {label: new for new, old in _MOVES.OLD.items() for label in old}
# Chains grow by the events of the upgrade; `audit_verify` proves them.
_GROWING = "audit_chainhead"
# Of likely passwords, which are held no more: what became of them is told by itself.
_HELD = "workspace_heldsecret"
# Django's own, which the upgrade changes, and what the search index is made of.
OTHERS = ("django_migrations", "django_content_type", "auth_permission", "recall_index")
# What waits of somebody's own memory gets the time to be told that it expires.
_SINCE = ("workspace_proposal", "created_at")
# A statement may say more to newer rules: of whom, what, and for how long it holds.
_READ_ANEW = {_SINCE, *(("facts_fact", name) for name in ("subject", "value", "valid_to"))}
Rows = dict[str, dict[Any, dict[str, Any]]]


def main(version: Path, share: int) -> None:
    first, _end, sql = gzip.decompress(version.read_bytes()).decode().partition("\n")
    ids = json.loads(first.removeprefix("-- ")) | {"admin": "alice@example.org"}
    _load(sql)
    _release_one()
    _age_proposals()
    before, permissions = _rows(), _permissions()
    held = before.pop(_HELD)
    call_command("migrate", interactive=False, verbosity=0, skip_checks=False)
    after = _rows()
    said = {
        "rows": sum(map(len, before.values())),
        "lost": [
            lost for table in before.keys() - {_GROWING} for lost in _lost(table, before, after)
        ],
        "labels": sorted({label for label, _model, _code in _permissions()}),
        "held": _held(held),
        "waiting_days": _waiting_days(),
        "permissions": {_now(*one) for one in permissions}
        <= _permissions(),  # those of newer models come besides
        "triggers": missing(),
        "failures": _failures(),
        "again": _said_by("migrate", interactive=False),
        "differs": [table for table, rows in _rows().items() if rows != after[table]],
        "changes": _said_by("makemigrations", check_changes=True, dry_run=True),
    }
    with scopes_disabled():
        json.dump(said | {"pages": _pages(ids, share), "erased": _erased()}, sys.stdout)


def _load(sql: str) -> None:
    if connection.vendor == "sqlite":
        with closing(sqlite3.connect(connection.settings_dict["NAME"])) as database:
            database.executescript(sql)
        return
    url = os.environ["MEMORYWEB_DATABASE_URL"]
    quiet = ["psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null"]
    subprocess.run([*quiet, url], input=sql, text=True, check=True)


def _rows() -> Rows:
    found: Rows = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            if table.startswith(OTHERS):
                continue
            key = connection.introspection.get_primary_key_column(cursor, table)
            cursor.execute(f"SELECT * FROM {table}")
            columns = [column[0] for column in cursor.description]
            rows = [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]
            found[table] = {row[str(key)]: row for row in rows}
    return found


def _lost(table: str, before: Rows, after: Rows) -> list[str]:
    """Rows that are gone and values that are others. A column may go, and what said nothing may
    be filled; no value may change."""
    now = after.get(table, {})
    return sorted(
        [f"{table} {key}" for key in before[table].keys() - now.keys()]
        + [
            f"{table} {key}: {column}"
            for key in before[table].keys() & now.keys()
            for column in before[table][key].keys() & now[key].keys()
            if before[table][key][column] not in (None, now[key][column])
            and (table, column) not in _READ_ANEW
        ]
    )


def _release_one() -> None:
    """One of what waits is no secret, as a person said."""
    with connection.cursor() as cursor:
        first = f"(SELECT min({_text('id')}) FROM {_HELD} WHERE state = 'waiting')"
        cursor.execute(f"UPDATE {_HELD} SET state = 'released' WHERE {_text('id')} = {first}")


def _age_proposals() -> None:
    """All wait for longer than they may from now on."""
    table, column = _SINCE
    with connection.cursor() as cursor:
        long_ago = connection.ops.adapt_datetimefield_value(timezone.now() - timedelta(days=60))
        cursor.execute(f"UPDATE {table} SET {column} = %s WHERE state = 'pending'", [long_ago])


def _waiting_days() -> dict[str, list[int]]:
    now = timezone.now()
    waiting: dict[str, list[int]] = {"personal": [], "shared": []}
    with scopes_disabled():
        for item in ReviewItem.objects.filter(kind="proposal", state="open"):
            waiting["personal" if item.owner_id else "shared"].append((now - item.since).days)
    return waiting


def _text(column: str) -> str:
    return f"CAST({column} AS text)"


def _held(rows: dict[Any, dict[str, Any]]) -> dict[str, Any]:
    """By state: where each stood, and what tells of it now."""

    def places(state: str) -> list[Any]:
        of_state = [row for row in rows.values() if row["state"] == state]
        return sorted([str(UUID(str(row["file_id"]))), row["line"]] for row in of_state)

    with scopes_disabled():
        ended = Event.objects.filter(action="secret.decided", actor_kind="system")
        told = [[one.target_id, json.loads(one.details)["line"]] for one in ended]
        passing = set(NoSecret.objects.values_list("fingerprint", flat=True))
    let_pass = {row["fingerprint"] for row in rows.values() if row["state"] == "released"}
    return {
        "waited": places("waiting"),
        "told": sorted(told),
        "passing": sorted(passing),
        "let_pass": sorted(let_pass),
    }


def _now(label: str, model: str, code: str) -> tuple[str, str, str]:
    """What a permission of before is called after the upgrade."""
    name = _MOVES.RENAMED.get(model, model)
    return _MOVED.get(label, label), name, code.replace(model, name)


def _permissions() -> set[tuple[str, str, str]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT app_label, model, codename FROM auth_permission"
            " JOIN django_content_type ON django_content_type.id = content_type_id"
        )
        return set(cursor.fetchall())


def _failures() -> list[str]:
    commands = [("audit_verify",), ("reindex", "--check"), ("project_facts", "--check")]
    commands.append(("review", "--check"))
    return [said for command in commands if (said := run(*command).failure)]


def _said_by(command: str, **options: Any) -> str:
    with redirect_stdout(io.StringIO()) as said:
        call_command(command, no_color=True, **options)
    return said.getvalue()


def _pages(ids: dict[str, str], share: int) -> list[str]:
    """Those that answer the admin otherwise than the walls say."""
    setup_test_environment()
    settings.STORAGES["staticfiles"] = {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
    }
    wrong = []
    for team in (ids, _demo()):
        stage = Stage(cast(Any, None), team, cast(Any, None))
        admin = signed_in(User.objects.get(email=team["admin"]))
        for key, route in [*PAGES.items()][::share]:
            wanted = {*named(route).values(), *re.findall(r"{(\w+)}", route.query)}
            if (
                wanted <= team.keys()
                and (n := call(admin, route, stage).status_code) != (route.answers["admin"])
            ):
                wrong.append(f"{team['team']}, {key}: {n}")
    return wrong


def _demo() -> dict[str, str]:
    demo = Team.objects.get(is_demo=True, slug__startswith="northwind")
    agent = demo.agents.order_by("name")[0]
    return {"team": demo.slug, "agent_id": str(agent.pk), "admin": "marta@northwind.example"}


def _erased() -> dict[str, Any]:
    """What of an earlier version was hidden, and what is left of it."""
    team = Team.objects.get(slug=_demo()["team"])
    request = ForgetRequest.objects.filter(team=team, state=ForgetRequest.State.HIDDEN).exclude(
        owner=None
    )[0]
    facts = Fact.objects.filter(pk__in=request.targets.values("fact"))
    texts = list(facts.values_list("raw_text", flat=True))
    ForgetRequest.objects.filter(pk=request.pk).update(erase_at=timezone.now())
    erasing.queue_due(timezone.now())
    errors = [ended.error for ended in engine.run_pending() if ended.error]
    receipt = Receipt.objects.get(request=request.pk)
    rows = _json([list(of.values()) for of in _rows().values()])
    return {
        "texts": len(texts),
        "left": [text for text in texts if _json(text)[1:-1] in rows],
        "remaining": receipt.remaining,
        "tables": len(receipt.scanned),
        "errors": errors,
        "failures": _failures(),
    }


def _json(value: object) -> str:
    return json.dumps(value, default=str, ensure_ascii=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
