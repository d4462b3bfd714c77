from typing import Any

from django.core.management.base import CommandParser

from memoryweb.accounts.models import Team
from memoryweb.commands import base
from memoryweb.memory import review


class Command(base.TeamsCommand):
    help = "Compare the list of Review with what it lists, or make it match."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--repair", action="store_true", help="make it match")

    def look(self, team: Team, options: dict[str, Any]) -> base.Outcome:
        is_repaired = options["repair"] and not options["check"]
        found = review.repair(team) if is_repaired else review.check(team)
        told = [base.data_of(one, "kind", "problem") | {"about": str(one.about)} for one in found]
        data = {"differing": told}
        if is_repaired:
            return base.Outcome(f"{len(found)} made to match.", data)
        if not found:
            return base.Outcome("all that waits matches.", data)
        shown = ", ".join(f"{one.kind} {one.about} ({one.problem})" for one in found)
        return base.Outcome(f"{len(found)} differ: {shown}", data, ok=False)
