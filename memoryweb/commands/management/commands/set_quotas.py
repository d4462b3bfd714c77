from typing import Any

from django.core.management.base import CommandError, CommandParser

from memoryweb.accounts.models import Team
from memoryweb.accounts.teams import set_limits
from memoryweb.audit.record import SYSTEM
from memoryweb.commands import base

QUOTAS = ("requests_minute", "requests_day", "tokens_day", "stored_mb")


class Command(base.TeamCommand):
    help = "Set what a team may use. What isn't given stays."

    def arguments(self, parser: CommandParser) -> None:
        for name in QUOTAS:
            option = f"--{name.replace('_', '-')}"
            parser.add_argument(option, type=int, metavar="N", help="0: as every team")

    def act_in(self, team: Team, options: dict[str, Any]) -> base.Outcome:
        given = {name: options[name] for name in QUOTAS if options[name] is not None}
        if not all(0 <= limit < 2**31 for limit in given.values()):
            raise CommandError("A quota is a number above 0, or 0 for what every team may use.")
        set_limits(team=team, by=SYSTEM, **{name: limit or None for name, limit in given.items()})
        now = team.quotas | {"tokens_day": team.allowed_tokens}
        said = ", ".join(f"{name} {now[name] or 'without limit'}" for name in QUOTAS)
        return base.Outcome(f"{team}: {said}.", {"team": team.slug, "quotas": now})
