from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandParser

from memoryweb.accounts import teams
from memoryweb.accounts.models import Team
from memoryweb.commands import base
from memoryweb.memory import review
from memoryweb.memory.index.reindexing import all_teams
from memoryweb.memory.models.review_items import Difference


class Command(base.Command):
    help = "Compare the list of Review with what it lists, or make it match."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--team", help="only this team: its slug, name or id")
        group = parser.add_mutually_exclusive_group()
        group.add_argument(
            "--check", action="store_true", help="change nothing, only report differences"
        )
        group.add_argument("--repair", action="store_true", help="make it match")

    def act(self, options: dict[str, Any]) -> base.Outcome:
        chosen = [teams.find(options["team"])] if options["team"] else all_teams()
        look = review.repair if options["repair"] else review.check
        done = {team: look(team) for team in chosen}
        tell = _repaired if options["repair"] else _checked
        return base.Outcome(
            "\n".join(tell(team, found) for team, found in done.items())
            or "There is no team yet, and nothing to do.",
            {"teams": [_told(team, found) for team, found in done.items()]},
            ok=options["repair"] or not any(done.values()),
        )


def _checked(team: Team, found: Sequence[Difference]) -> str:
    if not found:
        return f"{team.name}: all that waits matches."
    shown = ", ".join(f"{one.kind} {one.about} ({one.problem})" for one in found)
    return f"{team.name}: {len(found)} differ: {shown}"


def _repaired(team: Team, found: Sequence[Difference]) -> str:
    return f"{team.name}: {len(found)} made to match."


def _told(team: Team, found: Sequence[Difference]) -> dict[str, Any]:
    differing = [
        {"kind": one.kind, "problem": one.problem, "about": str(one.about)} for one in found
    ]
    return {"team": team.slug, "differing": differing}
