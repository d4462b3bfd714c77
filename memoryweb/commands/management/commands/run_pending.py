from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.commands import base
from memoryweb.extraction.requests import hurry
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from memoryweb.runs.reasons import reason


class Command(base.Command):
    help = _("Process waiting runs now, until none is left that may start.")

    def arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--until-idle",
            action="store_true",
            help=_("also wait for runs that other workers are processing"),
        )

    def act(self, options: dict[str, Any]) -> base.Outcome:
        runs = []
        for run in _worked(until_idle=options["until_idle"]):
            runs.append(run)
            if not options["json"]:
                self.stdout.write(_line(run))
        counts = Counter(str(run.status) for run in runs)
        return base.Outcome(
            ngettext("Processed {count} run.", "Processed {count} runs.", len(runs)).format(
                count=len(runs)
            ),
            {"runs": len(runs), "statuses": dict(counts)},
        )


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
        said.append(_("(next try at {time})").format(time=f"{run.due_at:%H:%M:%S} UTC"))
    return " ".join(said)
