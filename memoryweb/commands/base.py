"""What every command shares: one result, said as a sentence or as JSON, and one kind of failure."""

import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError
from django_scopes import scope
from pydantic.alias_generators import to_camel

from memoryweb.accounts import teams
from memoryweb.accounts.exceptions import AccountsRefused
from memoryweb.accounts.models import Team
from memoryweb.agents.exceptions import OwnerAmbiguous, OwnerRefused, OwnerUnknown
from memoryweb.agents.models import Agent
from memoryweb.audit import keys
from memoryweb.audit.keys import KeysRefused
from memoryweb.audit.ledger import LedgerRefused, LedgerUnavailable
from memoryweb.audit.record import SYSTEM, Entry, record
from memoryweb.core import home_lock, upgrade
from memoryweb.core.archive import BackupRefused
from memoryweb.core.database_copies import CopyFailed
from memoryweb.core.database_unavailable import refusal as refusal_of
from memoryweb.memory.models.refusals import ArchiveRefused, MemoryRefused
from memoryweb.runs.models import Run
from memoryweb.runs.reasons import reason

REFUSALS = (
    *(AccountsRefused, KeysRefused, MemoryRefused, OwnerAmbiguous, OwnerRefused, OwnerUnknown),
    *(
        ArchiveRefused,
        BackupRefused,
        CopyFailed,
        home_lock.HalfRestored,
        LedgerRefused,
        LedgerUnavailable,
    ),
)


@dataclass(frozen=True)
class Outcome:
    """What a command did. `output` is what a script takes from standard output, if anything."""

    message: str
    data: Mapping[str, Any] = field(default_factory=dict)
    output: str = ""
    ok: bool = True


class Command(BaseCommand, ABC):
    """Subclasses write `arguments` and `act`; an Outcome that is not `ok` exits non-zero."""

    # Django's own checks load every page and route of the API: nearly half of a start, of which
    # no command needs anything. `migrate`, with which `start` begins, makes them.
    requires_system_checks = ["model"]
    needs_keys = True  # of the database, configured
    works_alone = False  # no server or worker may run meanwhile

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="answer as one JSON object")
        self.arguments(parser)

    def arguments(self, parser: CommandParser) -> None:
        """The command's own arguments; none unless a subclass says so."""

    @abstractmethod
    def act(self, options: dict[str, Any]) -> Outcome:
        """Do it. Domain refusals may pass through; they become the failure's sentence."""

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            if self.works_alone and not home_lock.claim():
                running = f"memoryweb is running on {settings.HOME}."
                raise CommandError(f"{running} Stop all web servers and workers first.")
            if self.needs_keys:
                keys.check()
            outcome = self.act(options)
        except REFUSALS as refusal:
            outcome = Outcome(str(refusal), {"code": getattr(refusal, "code", "refused")}, ok=False)
        except (DatabaseError, OSError) as error:
            if (found := _of_error(error)) is None:
                raise
            outcome = found
        if options["json"]:
            self.stdout.write(_as_json(outcome))
        elif outcome.output:
            self.stdout.write(outcome.output)
            self.stderr.write(self.style.SUCCESS(outcome.message))
        elif outcome.ok:
            self.stdout.write(outcome.message)
        if not outcome.ok:
            raise CommandError(outcome.message)


def record_everywhere(action: str, **details: int) -> None:
    """In each team's chain: it is about the memory of all."""
    for team_id in sorted(teams.with_chain() | {teams.system_team_id()}):
        record(team_id, Entry(action, SYSTEM, details=details))


def _of_error(error: DatabaseError | OSError) -> Outcome | None:
    if said := refusal_of(error) or upgrade.refusal() or upgrade.unprepared():
        return Outcome(str(said), {"code": "unavailable"}, ok=False)
    if isinstance(error, OSError) and error.filename:
        said = f"{error.filename} cannot be used: {error.strerror}."
        return Outcome(said, {"code": "file"}, ok=False)
    return None


class TeamsCommand(Command):
    """One that looks at each team, or at one of them."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--team", help="only this team: its slug, name or id")
        parser.add_argument(
            "--check", action="store_true", help="change nothing, only report differences"
        )
        super().add_arguments(parser)

    def act(self, options: dict[str, Any]) -> Outcome:
        chosen = [teams.find(options["team"])] if options["team"] else Team.objects.order_by("slug")
        found = {team: self.look(team, options) for team in chosen}
        return Outcome(
            "\n".join(f"{team.name}: {looked.message}" for team, looked in found.items())
            or "There is no team yet, and nothing to do.",
            {"teams": [{"team": team.slug, **looked.data} for team, looked in found.items()]},
            ok=all(looked.ok for looked in found.values()),
        )

    @abstractmethod
    def look(self, team: Team, options: dict[str, Any]) -> Outcome:
        """What is told of the team, after its name."""


class TeamCommand(Command):
    """One that acts in a team and, where `of_agent`, on one of its agents."""

    of_agent = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--team", required=True, help="the team's slug, name or id")
        if self.of_agent:
            parser.add_argument("--agent", required=True, help="the agent's name or id")
        super().add_arguments(parser)

    def act(self, options: dict[str, Any]) -> Outcome:
        team = teams.find(options["team"])
        with scope(team=team):
            if self.of_agent:
                options["agent"] = find_agent(team, options["agent"])
            return self.act_in(team, options)

    @abstractmethod
    def act_in(self, team: Team, options: dict[str, Any]) -> Outcome:
        """As `act`, inside the team's scope; `options["agent"]` is the agent itself."""


def add_passphrase(parser: CommandParser) -> None:
    said = (
        "a file with the passphrase that it is encrypted under, or any bytes; “-”: standard input"
    )
    parser.add_argument("--passphrase-file", type=Path, metavar="FILE", help=said)


def passphrase(options: dict[str, Any]) -> bytes:
    """Never an argument: whoever lists processes reads those."""
    path: Path | None = options["passphrase_file"]
    if path is None:
        return b""
    given = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    if not given.strip():
        raise CommandError("The passphrase is empty.")
    return given.strip()


def add_rights(parser: CommandParser) -> None:
    """What an integration or a token may do."""
    parser.add_argument("--scopes", default="all", help="all, or some, separated by commas")
    parser.add_argument(
        "--shared-write",
        default="",
        metavar="REASON",
        help="let it write shared files of the prompt without asking, and why",
    )


def counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def listed(text: str) -> list[str]:
    """The parts of a comma-separated argument."""
    return [part.strip() for part in text.split(",") if part.strip()]


def day(text: str) -> date:
    """The type of an argument that is a date."""
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise CommandError(f"“{text}” is not a date like 2026-12-31.") from error


def data_of(row: object, *names: str) -> dict[str, Any]:
    """Attributes of a row, called as the API would."""
    return {to_camel(name): getattr(row, name) for name in names}


def find_agent(team: Team, text: str) -> Agent:
    """By name or id, of the agents that are not archived. Call inside the team's scope."""
    for agent in team.agents.live():
        if text in {str(agent.pk), agent.name} or agent.folded_name == text.casefold():
            return agent
    raise CommandError(f"The team “{team}” has no agent “{text}”.")


def _as_json(outcome: Outcome) -> str:
    said = {"ok": outcome.ok, "message": outcome.message, **outcome.data}
    return json.dumps(said, ensure_ascii=False, indent=2, default=_plain)


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, date) else str(value)


# How commands tell of a run that they waited for.


def sentence(run: Run, counted: str = "") -> str:
    """Whose it was, its outcome with what was counted, and why."""
    whose = run.owner.shown_as if run.owner else "shared notes"
    why = str(reason(run.reason)) if run.reason else ""
    said = f"{whose}: {run.get_status_display()}{counted}."
    return " ".join(filter(None, (said, why, run.error)))


def data(run: Run) -> dict[str, Any]:
    whose = run.owner.shown_as if run.owner else "shared"
    return {"owner": whose, **data_of(run, "id", "status", "reason", "error")}
