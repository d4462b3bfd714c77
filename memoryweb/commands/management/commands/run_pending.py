from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from memoryweb.commands import base
from memoryweb.extraction.requests import hurry
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from memoryweb.runs.reasons import reason


class Command(base.Command):
    help = "Process waiting runs now, until none is left that may start."

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--until-idle",
            action="store_true",
            help="also wait for runs that other workers are processing",
        )

    def act(self, options: dict[str, Any]) -> base.Outcome:
        statuses = Counter[str]()
        for run in _worked(until_idle=options["until_idle"]):
            statuses[str(run.status)] += 1
            if not options["json"]:
                self.stdout.write(_line(run))
        count = statuses.total()
        said = f"Processed {base.counted(count, 'run')}."
        return base.Outcome(said, {"runs": count, "statuses": dict(statuses)})


def _worked(*, until_idle: bool) -> Iterator[Run]:
    """Commands skip the cooldown of extractions (SPEC §4), also of those that follow on these."""
    is_done = False
    while not is_done:
        hurry(timezone.now())
        is_done = True
        for run in engine.run_pending(until_idle=until_idle):
            is_done = False
            yield run


def _line(run: Run) -> str:
    said = [f"{run.get_kind_display()} {run.pk}: {run.get_status_display()}."]
    if run.reason:
        said.append(str(reason(run.reason)))
    if run.is_active and run.due_at:
        said.append(f"(next try at {run.due_at:%H:%M:%S} UTC)")
    return " ".join(said)
