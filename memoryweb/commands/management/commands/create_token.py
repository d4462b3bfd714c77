from collections.abc import Collection
from typing import Any

from django.core.management.base import CommandParser

from memoryweb.accounts import integrations, members, tokens
from memoryweb.accounts.models import Integration, Team, User
from memoryweb.audit.record import SYSTEM
from memoryweb.commands import base


class Command(base.TeamCommand):
    help = "Create a token. Standard output gets the token alone. It is shown only once."

    def arguments(self, parser: CommandParser) -> None:
        holder = parser.add_mutually_exclusive_group(required=True)
        holder.add_argument("--email", help="the member who will act with it")
        holder.add_argument("--integration", help="the integration's name or id")
        parser.add_argument("--name", required=True, help="a name to tell it apart by")
        parser.add_argument(
            "--act-as-person",
            action="store_true",
            help="what it writes counts as the member's own word; give it to no agent",
        )
        parser.add_argument(
            "--days", type=int, default=tokens.DEFAULT_DAYS, help="how long it is valid"
        )
        base.add_rights(parser)

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
        data = base.data_of(token, "id", "name", "scopes", "act_as_person", "expires_at")
        until = token.expires_at.date().isoformat()
        said = f"Created token {token} for {integration or user}, valid until {until}."
        return base.Outcome(said, data | {"token": secret, "team": team.slug}, output=secret)


def _holder(team: Team, options: dict[str, Any]) -> tuple[User | None, Integration | None]:
    if options["email"]:
        return members.find(team, options["email"]).user, None
    return None, integrations.find(team, options["integration"])


def _scopes(asked: str, integration: Integration | None) -> Collection[str]:
    if asked != "all":
        return base.listed(asked)
    return integration.scopes if integration else tokens.PERSONAL_SCOPES
