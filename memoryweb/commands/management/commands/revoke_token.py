from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from memoryweb.accounts import tokens
from memoryweb.accounts.models import Team
from memoryweb.audit.record import SYSTEM
from memoryweb.commands import base


class Command(base.TeamCommand):
    help = _("Revoke a token at once.")

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "token", help=_("its id, its name, the form shown (mwp_AbCd…wxyz) or the token itself")
        )

    def act_in(self, team: Team, options: dict[str, Any]) -> base.Outcome:
        token = tokens.find(team, options["token"])
        tokens.revoke(token=token, by=SYSTEM)
        return base.Outcome(
            _("Revoked token {token} (“{name}”).").format(token=token, name=token.name),
            {"id": str(token.pk), "name": token.name, "team": team.slug},
        )
