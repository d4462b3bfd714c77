from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from memoryweb.accounts import members
from memoryweb.audit.record import SYSTEM
from memoryweb.commands import base


class Command(base.Command):
    help = _("Remove a person from a team and revoke their tokens there.")

    def arguments(self, parser: CommandParser) -> None:
        base.add_team(parser)
        parser.add_argument("--email", required=True)

    def act(self, options: dict[str, Any]) -> base.Outcome:
        with base.in_team(options["team"]) as team:
            member = members.find(team, options["email"])
            email = member.user.email
            members.remove_member(membership=member, by=SYSTEM)
        return base.Outcome(
            _("Removed {email} from “{team}” and revoked their tokens there.").format(
                email=email, team=team
            ),
            {"email": email, "team": team.slug},
        )
