"""Keeps a database of this version, for later versions to upgrade: SQL with the rows in it.

    python -m tests.upgrade.taking_down tests/upgrade/<version>-sqlite.sql.gz
    python scripts/postgres.py python -m tests.upgrade.taking_down <version>-postgresql.sql.gz

In it a demo team lived some days, and another has something behind every address of the web. The
first line names its ids, as `tests.walls.web_stage` does.
"""

import gzip
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import django
from django.core.management import call_command
from django.db import connection
from django.utils import timezone
from django_scopes import scope, scopes_disabled

# Chains are sealed and signed with them, so who upgrades it needs the same.
KEYS = {
    "MEMORYWEB_SECRET_KEY": "of databases that are upgraded in tests",
    "MEMORYWEB_CHECKPOINT_SECRET": "of their checkpoints",
}
DAYS = 4
_OF_THE_INDEX = (
    *("INSERT INTO sqlite_master", "PRAGMA writable_schema"),
    *('INSERT INTO "recall_index', "CREATE TABLE 'recall_index"),
)


def main(target: Path) -> None:
    call_command("migrate", verbosity=0, interactive=False)
    call_command("createcachetable", verbosity=0)
    with scopes_disabled():
        ids = _live()
    said = f"-- {json.dumps(ids)}\n" + (_sqlite() if connection.vendor == "sqlite" else _postgres())
    target.write_bytes(gzip.compress(said.encode(), mtime=0))


def _live() -> dict[str, str]:
    from memoryweb.accounts.teams import create_team  # noqa: PLC0415 -- need settings
    from memoryweb.audit.record import SYSTEM  # noqa: PLC0415
    from memoryweb.commands.demo import building  # noqa: PLC0415
    from tests.walls.web_stage import build_stage  # noqa: PLC0415
    from tests.world import build_world  # noqa: PLC0415

    building.DAYS = DAYS
    demo = create_team(name=building.NAME, by=SYSTEM, is_demo=True)
    building.build(demo, "a plain test password", timezone.now())
    _forget(demo)
    world = build_world()
    stage = build_stage(world.home, colleague=world.vera)
    _send(stage.ids)
    return stage.ids


def _forget(team: Any) -> None:
    """Of one owner something is erased, of the others something waits for it."""
    from memoryweb.memory.forgetting import erasing, finding, hiding  # noqa: PLC0415
    from memoryweb.memory.models import Fact, ForgetRequest  # noqa: PLC0415
    from memoryweb.memory.models.writer import Memory, write_transaction  # noqa: PLC0415
    from memoryweb.runs import engine  # noqa: PLC0415

    personal = Fact.objects.living().filter(team=team).exclude(owner=None)
    for number, fact in enumerate({fact.owner_id: fact for fact in personal}.values()):
        with write_transaction(team) as tx:
            asked = hiding.Wish(Memory(fact.agent, fact.owner), ForgetRequest.Via.API)
            found = finding.of_facts(asked.memory, [fact])
            seconds = None if number else 0
            hiding.hide(tx, hiding.open_request(tx, asked), found.meant, seconds=seconds)
    erasing.queue_due(timezone.now())  # a whole tick would sign checkpoints, which are no rows
    list(engine.run_pending())


def _send(ids: dict[str, str]) -> None:
    """What is on its way to a receiver."""
    from memoryweb.accounts.models import Team  # noqa: PLC0415
    from memoryweb.memory.models.writer import write_transaction  # noqa: PLC0415
    from memoryweb.notify import endpoints  # noqa: PLC0415
    from memoryweb.notify.models import Endpoint  # noqa: PLC0415

    team = Team.objects.get(slug=ids["team"])
    with scope(team=team), write_transaction(team) as tx:
        endpoints.test(tx, Endpoint.objects.get(pk=ids["webhook_id"]))


def _sqlite() -> str:
    """As `iterdump` says it, but for the virtual tables of the search index, which it can't."""
    connection.close()
    with sqlite3.connect(connection.settings_dict["NAME"]) as database:
        plain = [row for row in database.iterdump() if not row.startswith(_OF_THE_INDEX)]
        virtual = "SELECT sql || ';' FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL%'"
        made = [sql for (sql,) in database.execute(virtual)]
    filled = "INSERT INTO recall_index(recall_index) VALUES ('rebuild');"
    return "\n".join([*plain, *made, filled])


def _postgres() -> str:
    plain = ["pg_dump", "--inserts", "--no-owner", "--no-privileges"]
    url = os.environ["MEMORYWEB_DATABASE_URL"]
    return subprocess.run([*plain, url], check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="memoryweb-version-") as home:
        os.environ |= KEYS | {"MEMORYWEB_HOME": home, "MEMORYWEB_MODEL_HOSTS": "models.example"}
        os.environ["DJANGO_SETTINGS_MODULE"] = "memoryweb.settings"
        django.setup()
        main(Path(sys.argv[1]))
