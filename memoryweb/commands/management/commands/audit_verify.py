from typing import Any
from uuid import UUID

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from memoryweb.accounts import teams
from memoryweb.audit import triggers
from memoryweb.audit.verify import LIMITS, Verification, chains, verify
from memoryweb.commands import base


class Command(base.Command):
    help = _("Check the audit chains and report the first altered event of each.")

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--team", help=_("only this team's chain: its slug, name or id"))

    def act(self, options: dict[str, Any]) -> base.Outcome:
        standing = teams.with_chain()
        chosen = [teams.find(options["team"]).pk] if options["team"] else chains(standing)
        names = teams.names(chosen)
        found = {team_id: verify(team_id, stands=team_id in standing) for team_id in chosen}
        missing = triggers.missing()
        said = [_sentence(names[team_id], result) for team_id, result in found.items()]
        said += [_unprotected(name) for name in missing]
        return base.Outcome(
            "\n".join([*said, str(LIMITS)]) if said else _("There are no audit events yet."),
            {
                "teams": [_told(team_id, names[team_id], r) for team_id, r in found.items()],
                "missingTriggers": missing,
            },
            ok=not missing and all(result.ok for result in found.values()),
        )


def _sentence(name: str, result: Verification) -> str:
    if not result.ok:
        return _("{team}: the chain breaks at event {seq}. {problem}").format(
            team=name, seq=result.first_bad_seq, problem=result.problem
        )
    said = _("{team}: {events} events, the chain is whole. Head: {head}").format(
        team=name, events=result.events, head=result.head or "–"
    )
    if result.erased:
        said += " " + _("Words erased: {n}.").format(n=result.erased)
    return said


def _unprotected(trigger: str) -> str:
    return _(
        "The database does not protect audit events: the trigger {name} is missing or was changed. "
        "“manage.py migrate” creates it again."
    ).format(name=trigger)


def _told(team_id: UUID, name: str, result: Verification) -> dict[str, Any]:
    names = ("ok", "events", "first_bad_seq", "problem", "head", "erased")
    return {"teamId": team_id, "team": name, **base.data_of(result, *names)}
