from typing import Any

from django.core.management.base import CommandParser

from memoryweb.accounts.teams import create_team
from memoryweb.audit.record import SYSTEM
from memoryweb.commands import base


class Command(base.Command):
    help = "Create a team."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--name", required=True, help="what people call the team")

    def act(self, options: dict[str, Any]) -> base.Outcome:
        team = create_team(name=options["name"], by=SYSTEM)
        said = f"Created the team “{team.name}”; its slug is {team.slug}."
        return base.Outcome(said, base.data_of(team, "id", "name", "slug"))
