"""Small pictures as plain numbers for SVG templates."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.memory.context import Gauge


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
