"""Small pictures as plain numbers for SVG templates."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.dreaming.queries import Night
from memoryweb.memory.context import Gauge
from memoryweb.runs.models import Run

_HEIGHT, _LEAST, _STEP = 22, 3, 8
_TONES = {Run.Status.FAILED: "fail", Run.Status.NEEDS_REVIEW: "hold"}


def sparkline(nights: Sequence[Night]) -> dict[str, Any]:
    """One bar a night, as high as its promoted lines; shape and colour say what went wrong."""
    most = max((night.promoted for night in nights), default=0) or 1
    bars = [_bar(at, night, most) for at, night in enumerate(nights)]
    total = sum(night.promoted for night in nights)
    failed = sum(night.status == Run.Status.FAILED for night in nights)
    label = _("{total} lines added in {nights} nights, {failed} failed").format(
        total=total, nights=len(nights), failed=failed
    )
    if not any(night.status for night in nights):
        label = _("No dreams in {nights} nights").format(nights=len(nights))
    return {"bars": bars, "width": len(bars) * _STEP, "label": label}


def _bar(at: int, night: Night, most: int) -> dict[str, Any]:
    tone = _TONES.get(Run.Status(night.status), "") if night.status else "none"
    height = max(_LEAST, round(_HEIGHT * night.promoted / most)) if night.status else 2
    if tone in {"fail", "hold"}:
        height = max(height, 12)
    elif not night.promoted:
        tone, height = "none", 2
    label = f"{night.day:%Y-%m-%d}: {night.promoted}"
    x, y = at * _STEP, _HEIGHT - height + 1
    return {"x": x, "y": y, "height": height, "tone": tone, "label": label}


def token_gauge(gauge: Gauge) -> dict[str, Any]:
    """How full the prompt is: its parts one after another, of 1,000 in all."""
    parts, x = [], 0.0
    for tone, label, tokens in (
        ("system", _("Shared files"), gauge.system),
        ("memory", _("Personal memory and what was found"), gauge.memory),
        ("message", _("Message"), gauge.message),
    ):
        width = min(1000 - x, max(3.0, 1000 * tokens / gauge.budget)) if tokens else 0.0
        place = {"x": round(x, 1), "width": round(width, 1)}
        parts.append({"tone": tone, "label": label, "tokens": tokens, **place})
        x = round(x, 1) + round(width, 1)
    said = _("{used} of {budget} tokens are used.").format(used=gauge.used, budget=gauge.budget)
    told = _("{used} of {budget} tokens, three quarters of the {window} that the model can read")
    numbers = {n: intcomma(getattr(gauge, n)) for n in ("used", "budget", "window")}
    return {"parts": parts, "label": said, "told": told.format(**numbers)}


def day_bars(days: Sequence[tuple[date, int]]) -> dict[str, Any]:
    """A bar a day, of 280 by 34, the last one marked."""
    most = max((n for _day, n in days), default=0) or 1
    step = 280 / max(1, len(days))
    bars = []
    for at, (day, n) in enumerate(days):
        height = max(2, round(34 * n / most))
        told = ngettext("{day}: {n} token", "{day}: {n} tokens", n)
        bars.append(
            {
                "x": round(at * step + 2, 1),
                "y": 34 - height,
                "width": round(step - 4, 1),
                "height": height,
                "is_last": at == len(days) - 1,
                "label": told.format(day=date_format(day, "D"), n=intcomma(n)),
            }
        )
    counts = [n for _day, n in days]
    said = _("Tokens a day, from {least} to {most}")
    numbers = {"least": intcomma(min(counts, default=0)), "most": intcomma(max(counts, default=0))}
    return {"bars": bars, "label": said.format(**numbers)}
