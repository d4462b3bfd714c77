from typing import Any

from django.core.management.base import CommandParser

from memoryweb.accounts import members
from memoryweb.accounts.models import Team
from memoryweb.audit.record import SYSTEM
from memoryweb.commands import base


class Command(base.TeamCommand):
    help = "Remove a person from a team and revoke their tokens there."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--email", required=True)

    def act_in(self, team: Team, options: dict[str, Any]) -> base.Outcome:
        member = members.find(team, options["email"])
        email = member.user.email
        members.remove_member(membership=member, by=SYSTEM)
        said = f"Removed {email} from “{team}” and revoked their tokens there."
        return base.Outcome(said, {"email": email, "team": team.slug})
