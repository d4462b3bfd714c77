from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from memoryweb.accounts.models import Team
from memoryweb.agents.models import Owner
from memoryweb.agents.owners import find_or_meet, system_owner
from memoryweb.commands import base
from memoryweb.extraction.requests import request
from memoryweb.memory.conversations import ImportCounts, import_messages
from memoryweb.memory.models.refusals import BatchRefused
from memoryweb.memory.models.writer import Transaction, write_transaction
from memoryweb.runs.models import Run


class Command(base.TeamCommand):
    help = (
        "Import conversations from a JSONL file, all of it or nothing. Repeating it adds nothing."
    )
    of_agent = True

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--owner", required=True, help="whose conversations; “shared” for the system's"
        )
        parser.add_argument(
            "file",
            type=Path,
            help="one message a line: conversation, id, role, name, content, timestamp",
        )

    def act_in(self, team: Team, options: dict[str, Any]) -> base.Outcome:
        path: Path = options["file"]
        agent = options["agent"]

        def open_unit() -> AbstractContextManager[Transaction]:
            return write_transaction(team)

        def find_owner() -> Owner:
            return find_or_meet(team, options["owner"]) or system_owner(team)

        try:
            done = import_messages(
                open_unit, agent=agent, find_owner=find_owner, open_file=lambda: path.open("rb")
            )
        except BatchRefused as refusal:
            return base.Outcome(str(refusal), {"field": refusal.field}, ok=False)
        with write_transaction(team) as tx:
            owner = find_owner()
            run = request(tx, agent=agent, owner=owner, trigger=Run.Trigger.COMMAND, immediate=True)
        return _outcome(team, owner, done, run)


def _outcome(team: Team, owner: Owner, done: ImportCounts, run: Run | None) -> base.Outcome:
    queued = run if run and run.is_active else None
    said = (
        f"Imported {done.added} messages of {done.conversations} conversations for "
        f"{owner.shown_as}; {done.duplicates} were already there."
    )
    return base.Outcome(
        f"{said} Extraction is queued." if queued else said,
        {"team": team.slug, "owner": owner.shown_as, "run": queued and queued.pk}
        | base.data_of(done, "conversations", "added", "duplicates"),
    )
