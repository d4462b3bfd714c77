from typing import Any
from zoneinfo import available_timezones

from django.core.management.base import CommandError, CommandParser
from django.utils.translation import gettext as _

from memoryweb.accounts.models import Team
from memoryweb.accounts.names import checked_name
from memoryweb.commands import base
from memoryweb.memory.agents import MAX_NAME, create_agent
from memoryweb.memory.models.transaction import write_transaction


class Command(base.TeamCommand):
    help = _("Create an agent with its seed files.")

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--name", required=True, help=_("the agent's name"))
        parser.add_argument("--timezone", default="UTC", help=_("such as Europe/Berlin"))

    def act_in(self, team: Team, options: dict[str, Any]) -> base.Outcome:
        if options["timezone"] not in available_timezones():
            raise CommandError(
                _("“{zone}” is not a time zone. Use one such as Europe/Berlin.").format(
                    zone=options["timezone"]
                )
            )
        name = checked_name(options["name"], longest=MAX_NAME)
        with write_transaction(team) as work:
            agent = create_agent(work, name=name, time_zone=options["timezone"])
        return base.Outcome(
            _("Created agent “{name}” in {team}.").format(name=agent.name, team=team.name),
            {"id": str(agent.pk), "name": agent.name},
        )
