from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from memoryweb.accounts.models import Team
from memoryweb.agents.models import Owner
from memoryweb.agents.owners import find_or_meet, system_owner
from memoryweb.commands import base
from memoryweb.extraction.requests import request
from memoryweb.memory.conversations import Imported, import_messages
from memoryweb.memory.models.refusals import BatchRefused
from memoryweb.memory.models.transaction import Transaction, write_transaction
from memoryweb.runs.models import Run


class Command(base.TeamCommand):
    help = _(
        "Import conversations from a JSONL file, all of it or nothing. Repeating it adds nothing."
    )
    of_agent = True

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--owner", required=True, help=_("whose conversations; “shared” for the system's")
        )
        parser.add_argument(
            "file",
            type=Path,
            help=_("one message a line: conversation, id, role, name, content, timestamp"),
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
        except OSError as error:
            return base.Outcome(
                _("The file cannot be read: {error}.").format(error=error.strerror), ok=False
            )
        with write_transaction(team) as work:
            owner = find_owner()
            run = request(
                work, agent=agent, owner=owner, trigger=Run.Trigger.COMMAND, immediate=True
            )
        return _told(team, owner, done, run)


def _told(team: Team, owner: Owner, done: Imported, run: Run | None) -> base.Outcome:
    is_queued = run is not None and run.is_active
    message = _(
        "Imported {added} messages of {conversations} conversations for {owner}; "
        "{duplicates} were already there."
    ).format(
        added=done.added,
        conversations=done.conversations,
        owner=owner.shown_as,
        duplicates=done.duplicates,
    )
    return base.Outcome(
        f"{message} {_('Extraction is queued.') if is_queued else ''}".strip(),
        {
            "team": team.slug,
            "owner": owner.shown_as,
            "conversations": done.conversations,
            "added": done.added,
            "duplicates": done.duplicates,
            "run": str(run.pk) if run is not None and is_queued else None,
        },
    )
