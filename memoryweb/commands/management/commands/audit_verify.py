from typing import Any
from uuid import UUID

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from memoryweb.accounts import teams
from memoryweb.audit.verify import Verification, chains, verify
from memoryweb.commands import base


class Command(base.Command):
    help = _("Check the audit chains; name the first event of each that is not what was written.")

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--team", help=_("only this team's chain: its slug, name or id"))

    def act(self, options: dict[str, Any]) -> base.Outcome:
        chosen = [teams.find(options["team"]).pk] if options["team"] else chains()
        names = teams.names(chosen)
        found = {team_id: verify(team_id) for team_id in chosen}
        return base.Outcome(
            "\n".join(_sentence(names[team_id], result) for team_id, result in found.items())
            or _("There are no audit events yet."),
            {"teams": [_told(team_id, names[team_id], r) for team_id, r in found.items()]},
            ok=all(result.ok for result in found.values()),
        )


def _sentence(name: str, result: Verification) -> str:
    if result.ok:
        return _("{team}: {events} events, the chain is whole.").format(
            team=name, events=result.events
        )
    return _("{team}: the chain breaks at event {seq}. {problem}").format(
        team=name, seq=result.first_bad_seq, problem=result.problem
    )


def _told(team_id: UUID, name: str, result: Verification) -> dict[str, Any]:
    return {
        "teamId": str(team_id),
        "team": name,
        "ok": result.ok,
        "events": result.events,
        "firstBadSeq": result.first_bad_seq,
        "problem": result.problem,
    }
