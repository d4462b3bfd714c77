import time
from threading import Event
from typing import Any
from uuid import UUID

from django.core.management.base import CommandParser

from memoryweb.accounts.models import Team
from memoryweb.agents.models import Agent, Owner
from memoryweb.agents.owners import find_for_command, system_owner
from memoryweb.commands import base
from memoryweb.extraction.requests import owners_with_messages, request
from memoryweb.memory.models.writer import write_transaction
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from memoryweb.runs.reasons import reason

LONGEST_SECONDS = 600


class Command(base.TeamCommand):
    help = "Extract waiting conversations now, without the cooldown, and wait for the result."
    of_agent = True

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--owner", help="whose conversations; default: everyone's")

    def act_in(self, team: Team, options: dict[str, Any]) -> base.Outcome:
        agent = options["agent"]
        if options["owner"]:
            owners = [find_for_command(team, options["owner"]) or system_owner(team)]
        else:
            owners = owners_with_messages(agent)
        done = [_extracted(agent, owner) for owner in owners]
        return base.Outcome(
            "\n".join(map(_sentence, done)) or "There are no messages to extract.",
            {"runs": [base.data(run) | {"lines": run.result.get("lines", 0)} for run in done]},
            ok=all(run.status != Run.Status.FAILED for run in done),
        )


def _extracted(agent: Agent, owner: Owner) -> Run:
    with write_transaction(agent.team) as tx:
        run = request(tx, agent=agent, owner=owner, trigger=Run.Trigger.COMMAND, immediate=True)
    if run is None:
        raise AssertionError("who asks in person gets a run")
    return _worked(run.pk)


def _worked(run_id: UUID) -> Run:
    """Here, or by the worker that was faster; a failed run is not waited for again."""
    end = time.monotonic() + LONGEST_SECONDS
    while True:
        engine.work(run_id)
        run = Run.objects.select_related("owner").get(pk=run_id)
        is_open = run.status in {Run.Status.QUEUED, Run.Status.RUNNING}
        if not is_open or time.monotonic() > end:
            return run
        Event().wait(0.2)


def _sentence(run: Run) -> str:
    if run.status == Run.Status.SKIPPED:
        return f"{run.owner.shown_as if run.owner else ''}: {reason(run.reason)}"
    lines = run.result.get("lines")
    return base.sentence(run, "" if lines is None else f" ({lines} lines written)")
