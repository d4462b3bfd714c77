"""Upgrades a database of an earlier milestone, in a process of its own, and says what came of it.

    python -m tests.upgrade.upgrading tests/upgrade/<milestone>.json.gz

The database is that of the environment, and empty.
"""

import json
import sys
from pathlib import Path
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402

from memoryweb.audit.triggers import create_triggers  # noqa: E402
from tests.commands.calling import run  # noqa: E402
from tests.upgrade.rows import put_back  # noqa: E402

# Made again where the tokens have changed, with an event; `reindex --check` proves what was made
# and `audit_verify` that the chain only grew.
MADE_AGAIN = {"recall_passage", "audit_chainhead"}
# Told in more detail since (workspace.0011).
ENRICHED = {("workspace_proposal", "origins")}
Rows = dict[Any, dict[str, Any]]


def main() -> None:
    keys = {table: key for table, key in put_back(Path(sys.argv[1])) if table not in MADE_AGAIN}
    create_triggers()
    before = {table: _rows(table, key) for table, key in keys.items()}
    call_command("migrate", interactive=False, verbosity=0, skip_checks=False)
    after = {table: _rows(table, key) for table, key in keys.items()}
    reindex, audit = run("reindex", "--check", "--json"), run("audit_verify", "--json")
    facts = run("project_facts", "--check", "--json")
    said = {
        "rows": sum(map(len, before.values())),
        "lost": [lost for table in keys for lost in _lost(table, before[table], after[table])],
        "reindex": reindex.failure,
        "facts": facts.failure,
        "statements": sum(team["statements"] for team in facts.json["teams"]),
        "audit": audit.failure,
        "events": sum(team["events"] for team in audit.json["teams"]),
    }
    json.dump(said, sys.stdout)


def _rows(table: str, key: str) -> Rows:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {table}")
        columns = [column[0] for column in cursor.description]
        found = [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]
    return {row[key]: row for row in found}


def _lost(table: str, before: Rows, after: Rows) -> list[str]:
    """Rows that are gone and values that are others. A column may go, and what said nothing may
    be filled; no value may change."""
    gone = [f"{table} {key}" for key in before.keys() - after.keys()]
    changed = [
        f"{table} {key}: {column}"
        for key in before.keys() & after.keys()
        for column in before[key].keys() & after[key].keys()
        if before[key][column] not in (None, after[key][column]) and (table, column) not in ENRICHED
    ]
    return sorted(gone + changed)


if __name__ == "__main__":
    main()
