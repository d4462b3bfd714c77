from typing import Any
from zoneinfo import available_timezones

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from memoryweb.accounts.models import Team, checked_name
from memoryweb.commands import base
from memoryweb.memory.agents import MAX_NAME, create_agent
from memoryweb.memory.models.writer import write_transaction


class Command(base.TeamCommand):
    help = "Create an agent with its seed files."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--name", required=True, help="the agent's name")
        parser.add_argument("--timezone", default="UTC", help="such as Europe/Berlin")
        parser.add_argument(
            "--language", default=settings.LANGUAGE_CODE, choices=dict(settings.LANGUAGES)
        )

    def act_in(self, team: Team, options: dict[str, Any]) -> base.Outcome:
        zone = options["timezone"]
        if zone not in available_timezones():
            raise CommandError(f"“{zone}” is not a time zone. Use one such as Europe/Berlin.")
        name = checked_name(options["name"], longest=MAX_NAME)
        with write_transaction(team) as tx:
            agent = create_agent(tx, name=name, time_zone=zone, language=options["language"])
        said = f"Created agent “{agent.name}” in {team.name}."
        return base.Outcome(said, base.data_of(agent, "id", "name"))
