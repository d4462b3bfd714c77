from collections.abc import Collection
from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from memoryweb.accounts import integrations, members, tokens
from memoryweb.accounts.models import Integration, Team, User
from memoryweb.audit.record import SYSTEM
from memoryweb.commands import base


class Command(base.TeamCommand):
    help = _("Create a token. Standard output gets the token alone. It is shown only once.")

    def arguments(self, parser: CommandParser) -> None:
        holder = parser.add_mutually_exclusive_group(required=True)
        holder.add_argument("--email", help=_("the member who will act with it"))
        holder.add_argument("--integration", help=_("the integration's name or id"))
        parser.add_argument("--name", required=True, help=_("a name to tell it apart by"))
        parser.add_argument("--scopes", default="all", help=_("all, or some, separated by commas"))
        parser.add_argument(
            "--act-as-person",
            action="store_true",
            help=_("what it writes counts as the member's own word; give it to no agent"),
        )
        parser.add_argument(
            "--shared-write",
            default="",
            metavar="REASON",
            help=_("let it write shared files of the prompt without asking, and why"),
        )
        parser.add_argument(
            "--days", type=int, default=tokens.DEFAULT_DAYS, help=_("how long it is valid")
        )

    def act_in(self, team: Team, options: dict[str, Any]) -> base.Outcome:
        user, integration = _holder(team, options)
        token, secret = tokens.issue(
            team=team,
            by=SYSTEM,
            name=options["name"],
            scopes=_scopes(options["scopes"], integration),
            user=user,
            integration=integration,
            days=options["days"],
            act_as_person=options["act_as_person"],
        )
        if reason := options["shared_write"]:
            integrations.grant_token(token=token, reason=reason, by=SYSTEM)
        expires = token.expires_at.date().isoformat()
        return base.Outcome(
            _("Created token {token} for {holder}, valid until {date}.").format(
                token=token, holder=integration or user, date=expires
            ),
            base.data_of(token, "id", "name", "scopes", "act_as_person", "expires_at")
            | {"token": secret, "team": team.slug},
            output=secret,
        )


def _holder(team: Team, options: dict[str, Any]) -> tuple[User | None, Integration | None]:
    if options["email"]:
        return members.find(team, options["email"]).user, None
    return None, integrations.find(team, options["integration"])


def _scopes(asked: str, integration: Integration | None) -> Collection[str]:
    if asked != "all":
        return base.listed(asked)
    return integration.scopes if integration else tokens.PERSONAL_SCOPES
