from typing import Any

from django.core.management.base import CommandParser

from memoryweb.accounts import tokens
from memoryweb.accounts.models import Team
from memoryweb.audit.record import SYSTEM
from memoryweb.commands import base


class Command(base.TeamCommand):
    help = "Revoke a token at once."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "token", help="its id, its name, the form shown (mwp_AbCd…wxyz) or the token itself"
        )

    def act_in(self, team: Team, options: dict[str, Any]) -> base.Outcome:
        token = tokens.find(team, options["token"])
        tokens.revoke(token=token, by=SYSTEM)
        data = base.data_of(token, "id", "name") | {"team": team.slug}
        return base.Outcome(f"Revoked token {token} (“{token.name}”).", data)
