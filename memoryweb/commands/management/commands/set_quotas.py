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
            parser.add_argument(
                f"--{name.replace('_', '-')}", type=_limit, metavar="N", help="or “default”"
            )

    def act_in(self, team: Team, options: dict[str, Any]) -> base.Outcome:
        given = {name: options[name] or None for name in QUOTAS if options[name] is not None}
        set_limits(team=team, by=SYSTEM, **given)
        now = team.quotas | {"tokens_day": team.allowed_tokens}
        said = ", ".join(f"{name} {now[name] or 'without limit'}" for name in QUOTAS)
        return base.Outcome(f"{team}: {said}.", {"team": team.slug, "quotas": now})


def _limit(text: str) -> int:
    """0 for what every team may use."""
    if text == "default":
        return 0
    if text.isdecimal() and 0 < int(text) < 2**31:
        return int(text)
    raise CommandError(f"“{text}” is neither a number above 0 nor “default”.")
