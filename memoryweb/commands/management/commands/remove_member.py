from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from memoryweb.accounts import members
from memoryweb.accounts.models import Team
from memoryweb.audit.record import SYSTEM
from memoryweb.commands import base


class Command(base.TeamCommand):
    help = _("Remove a person from a team and revoke their tokens there.")

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--email", required=True)

    def act_in(self, team: Team, options: dict[str, Any]) -> base.Outcome:
        member = members.find(team, options["email"])
        email = member.user.email
        members.remove_member(membership=member, by=SYSTEM)
        return base.Outcome(
            _("Removed {email} from “{team}” and revoked their tokens there.").format(
                email=email, team=team
            ),
            {"email": email, "team": team.slug},
        )
