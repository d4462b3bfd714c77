"""How commands tell of a run that they waited for."""

from typing import Any

from django.utils.translation import gettext as _

from memoryweb.commands.base import data_of
from memoryweb.runs.models import Run
from memoryweb.runs.reasons import reason


def sentence(run: Run, counted: str = "") -> str:
    """Whose it was, its outcome with what was counted, and why."""
    whose = run.owner.shown_as if run.owner else _("shared notes")
    why = str(reason(run.reason)) if run.reason else ""
    said = f"{whose}: {run.get_status_display()}{counted}."
    return " ".join(filter(None, (said, why, run.error)))


def data(run: Run) -> dict[str, Any]:
    whose = run.owner.shown_as if run.owner else "shared"
    return {"owner": whose, **data_of(run, "id", "status", "reason", "error")}
