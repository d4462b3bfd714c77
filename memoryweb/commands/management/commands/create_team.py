from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from memoryweb.accounts.teams import create_team
from memoryweb.audit.record import SYSTEM
from memoryweb.commands import base


class Command(base.Command):
    help = _("Create a team.")

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--name", required=True, help=_("what people call the team"))

    def act(self, options: dict[str, Any]) -> base.Outcome:
        team = create_team(name=options["name"], by=SYSTEM)
        return base.Outcome(
            _("Created the team “{name}”; its slug is {slug}.").format(
                name=team.name, slug=team.slug
            ),
            {"id": str(team.pk), "name": team.name, "slug": team.slug},
        )
