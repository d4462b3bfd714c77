from typing import Any

from django.core.management.base import CommandParser

from memoryweb.accounts.models import Team
from memoryweb.commands import base
from memoryweb.language.secrets import credentials
from memoryweb.memory import review
from memoryweb.memory.models.writer import write_transaction
from memoryweb.runs import engine
from memoryweb.runs.models import Run


class Command(base.TeamCommand):
    help = "Find secrets in existing memory. Prints kinds and places, never the text."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--agent", help="only this agent: its name or id")
        parser.add_argument("--fix", action="store_true", help="mask everything that is found")

    def act_in(self, team: Team, options: dict[str, Any]) -> base.Outcome:
        name = options["agent"]
        runs = []
        for agent in [base.find_agent(team, name)] if name else list(team.agents.live()):
            with write_transaction(team) as tx:
                run = review.request(tx, agent, fix=options["fix"], trigger=Run.Trigger.COMMAND)
            engine.work(run.pk)
            run.refresh_from_db()
            runs.append(run)
        found, masked = (sum(run.result.get(key, 0) for run in runs) for key in ("found", "masked"))
        said = f"{base.counted(found, 'secret')} {'was' if found == 1 else 'were'} found"
        said += f", {masked} masked." if masked else "."
        return base.Outcome(
            "\n".join([said, *(place for run in runs for place in _places(run))]),
            {"found": found, "masked": masked, "runs": [_data(run) for run in runs]},
            ok=all(run.status != Run.Status.FAILED for run in runs),
        )


def _places(run: Run) -> list[str]:
    return [
        f"{run.agent.name}: {credentials.secret_kind(one['kind'])} · "
        f"{credentials.place(one['where'])} {one['id']}{_at(one['number'])}, line {one['line']}"
        for one in run.result.get("sightings", [])
    ]


def _data(run: Run) -> dict[str, Any]:
    none = {"found": 0, "masked": 0, "sightings": []}
    found = {name: run.result.get(name, empty) for name, empty in none.items()}
    return base.data_of(run, "id", "agent_id", "status") | found


def _at(number: int) -> str:
    return f" #{number}" if number else ""
