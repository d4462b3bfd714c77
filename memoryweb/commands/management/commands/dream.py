from collections.abc import Iterator
from datetime import date
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from memoryweb.accounts.models import Team
from memoryweb.agents.models import dream_time
from memoryweb.agents.owners import find_for_command
from memoryweb.commands import base
from memoryweb.dreaming import backfill, schedule
from memoryweb.memory.models.writer import Memory, write_transaction
from memoryweb.runs import engine
from memoryweb.runs.models import Run


class Command(base.TeamCommand):
    help = "Run a dream now, or simulate one night, and wait for it to finish."
    of_agent = True

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--owner", help="whose notes; default: the shared ones and everyone's with new notes"
        )
        parser.add_argument(
            "--night", type=base.day, help="a local date: run as if it were that night"
        )
        parser.add_argument(
            "--backfill",
            action="store_true",
            help="older notes that no dream has read: week by week, the oldest first",
        )

    def act_in(self, team: Team, options: dict[str, Any]) -> base.Outcome:
        agent = options["agent"]
        night: date | None = options["night"]
        if options["owner"]:
            owners = [find_for_command(team, options["owner"])]
        elif options["backfill"]:
            owners = backfill.owners(agent)
        else:
            now = dream_time(agent, night) if night else timezone.now()
            owners = schedule.with_new_notes(agent, now)
        memories = [Memory(agent, owner) for owner in owners]
        if options["backfill"]:
            dreamt = [run for memory in memories for run in _backfilled(memory)]
        else:
            dreamt = [_dreamt(memory, night) for memory in memories]
        return base.Outcome(
            " ".join(map(_sentence, dreamt)) or "There are no new notes to dream about.",
            {"runs": [base.data(run) | base.data_of(run, "night") for run in dreamt]},
            ok=all(run.status != Run.Status.FAILED for run in dreamt),
        )


def _dreamt(memory: Memory, night: date | None) -> Run:
    trigger = Run.Trigger.COMMAND
    with write_transaction(memory.agent.team) as tx:
        if night:
            asked = schedule.request_night(tx, memory, night, trigger=trigger)
        else:
            asked = schedule.request(tx, memory, trigger=trigger)
    engine.work(asked.run.pk)
    return Run.objects.select_related("owner", "report").get(pk=asked.run.pk)


def _backfilled(memory: Memory) -> Iterator[Run]:
    """Each week asks for the next: all of them, whoever asked for the first."""
    with write_transaction(memory.agent.team) as tx:
        backfill.request(tx, memory)
    mine = Run.objects.filter(agent=memory.agent, owner=memory.owner, trigger=Run.Trigger.BACKFILL)
    while run := mine.filter(status=Run.Status.QUEUED).first():
        engine.work(run.pk)
        yield Run.objects.select_related("owner", "report").get(pk=run.pk)


def _sentence(run: Run) -> str:
    report = getattr(run, "report", None)
    if not report:
        return base.sentence(run)
    counted = f"{report.promoted} learned, {report.kept} wait a day, {report.rejected} skipped"
    return base.sentence(run, f" ({counted})")
