from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.accounts.models import Team
from memoryweb.commands import base
from memoryweb.commands.base import Outcome, data_of, find_agent
from memoryweb.language.secrets import credentials
from memoryweb.memory import review
from memoryweb.memory.models.transaction import write_transaction
from memoryweb.runs import engine
from memoryweb.runs.models import Run


class Command(base.TeamCommand):
    help = _("Find secrets in existing memory. Prints kinds and places, never the text.")

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--agent", help=_("only this agent: its name or id"))
        parser.add_argument("--fix", action="store_true", help=_("mask everything that is found"))

    def act_in(self, team: Team, options: dict[str, Any]) -> Outcome:
        one = options["agent"]
        agents = [find_agent(team, one)] if one else list(team.agents.live())
        runs = []
        for agent in agents:
            with write_transaction(team) as work:
                run = review.request(work, agent, fix=options["fix"], trigger=Run.Trigger.COMMAND)
            engine.work(run.pk)
            run.refresh_from_db()
            runs.append(run)
        return _told(runs)


def _told(runs: list[Run]) -> Outcome:
    found = sum(run.result.get("found", 0) for run in runs)
    masked = sum(run.result.get("masked", 0) for run in runs)
    said = ngettext("{n} secret was found", "{n} secrets were found", found).format(n=found)
    said += _(", {n} masked.").format(n=masked) if masked else "."
    places = [
        f"{run.agent.name}: {credentials.secret_kind(one['kind'])} · "
        f"{credentials.place(one['where'])} {one['id']}{_at(one['number'])}, "
        f"{_('line {n}').format(n=one['line'])}"
        for run in runs
        for one in run.result.get("sightings", [])
    ]
    failed = [run for run in runs if run.status == Run.Status.FAILED]
    data = {"found": found, "masked": masked, "runs": [_as_data(run) for run in runs]}
    return Outcome("\n".join([said, *places]), data, ok=not failed)


def _as_data(run: Run) -> dict[str, Any]:
    none = {"found": 0, "masked": 0, "sightings": []}
    found = {name: run.result.get(name, empty) for name, empty in none.items()}
    return data_of(run, "id", "agent_id", "status") | found


def _at(number: int) -> str:
    return f" #{number}" if number else ""
