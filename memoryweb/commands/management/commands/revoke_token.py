from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from memoryweb.accounts import tokens
from memoryweb.audit.record import SYSTEM
from memoryweb.commands import base


class Command(base.Command):
    help = _("Revoke a token at once.")

    def arguments(self, parser: CommandParser) -> None:
        base.add_team(parser)
        parser.add_argument(
            "token", help=_("its id, its name, the form shown (mwp_AbCd…wxyz) or the token itself")
        )

    def act(self, options: dict[str, Any]) -> base.Outcome:
        with base.in_team(options["team"]) as team:
            token = tokens.find(team, options["token"])
            tokens.revoke(token=token, by=SYSTEM)
        return base.Outcome(
            _("Revoked token {token} (“{name}”).").format(token=token, name=token.name),
            {"id": str(token.pk), "name": token.name, "team": team.slug},
        )
