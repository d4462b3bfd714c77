from typing import Any

from django.core.management.base import CommandParser

from memoryweb.accounts.integrations import DEFAULT_SCOPES, create_integration, grant
from memoryweb.accounts.models import Team
from memoryweb.accounts.permissions import Scope
from memoryweb.audit.record import SYSTEM
from memoryweb.commands import base


class Command(base.TeamCommand):
    help = "Create an integration: a program that talks for people."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--name", required=True)
        parser.add_argument(
            "--channels", default="", help="channels it may name, such as slack,feishu"
        )
        parser.add_argument(
            "--agents", default="", help="names or ids of the agents it may use; empty: all"
        )
        base.add_rights(parser)

    def act_in(self, team: Team, options: dict[str, Any]) -> base.Outcome:
        scopes = options["scopes"]
        agents = [base.find_agent(team, text) for text in base.listed(options["agents"])]
        integration = create_integration(
            team=team,
            name=options["name"],
            by=SYSTEM,
            channels=base.listed(options["channels"]),
            agents=[str(agent.pk) for agent in agents],
            scopes=DEFAULT_SCOPES if scopes == "all" else base.listed(scopes),
        )
        if reason := options["shared_write"]:
            grant(integration=integration, scope=Scope.SHARED_WRITE, reason=reason, by=SYSTEM)
        data = base.data_of(integration, "id", "name", "channels", "agents", "scopes")
        said = f"Created the integration “{integration.name}” of “{team}”."
        return base.Outcome(said, data | {"team": team.slug})
