"""Small pictures as plain numbers for SVG templates."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.memory.prompt import Gauge


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
                "label": told.format(day=date_format(day, _("D")), n=intcomma(n)),
            }
        )
    counts = [n for _day, n in days]
    said = _("Tokens a day, from {least} to {most}")
    numbers = {"least": intcomma(min(counts, default=0)), "most": intcomma(max(counts, default=0))}
    return {"bars": bars, "label": said.format(**numbers)}


def use_bars(days: Sequence[tuple[date, int]]) -> dict[str, Any]:
    """A bar a day on a floor of 300 by 84; days without a use have a dash."""
    most = max(2, *(n for _day, n in days))
    step = 286 / len(days)
    bars = []
    for at, (day, n) in enumerate(days):
        height = round(56 * n / most)
        told = ngettext("{day}: used {n} time", "{day}: used {n} times", n)
        x, wide = 15 + at * step, (7 if n else 4)
        label = told.format(day=date_format(day, _("j M")), n=n)
        bars.append(
            {
                "x": round(x + (0 if n else 1.5), 1),
                "y": 68 - height if n else 64.5,
                "width": wide,
                "height": height or 2,
                "is_used": bool(n),
                "label": label,
            }
        )
    half = (most + 1) // 2
    lines = [{"n": n, "y": round(68 - 56 * n / most, 1)} for n in (half, most)]
    first, middle = days[0][0], days[len(days) // 2][0]
    return {"bars": bars, "lines": lines, "first": first, "middle": middle}


def life_bars(values: Sequence[tuple[str, date, date | None]], today: date) -> dict[str, Any]:
    """When each value held, the earliest first: (value, since, until), on a floor 760 wide."""
    start = min(since for _value, since, _until in values)
    start = min(start, today - timedelta(days=6))
    scale = 736 / max(1, (today - start).days)

    def place(day: date) -> float:
        return round(8 + scale * (min(max(day, start), today) - start).days, 1)

    rows = []
    for at, (value, since, until) in enumerate(values):
        x, end = place(since), place(until or today)
        width = max(6.0, round(end - x, 1))
        row = {"x": min(x, 744 - width), "y": 8 + 30 * at, "width": width, "text": value}
        # Beside its bar, on whichever side there is room.
        is_inside = width > 8 * len(value)
        is_left = not is_inside and x > 380
        row |= {"is_now": until is None, "label_y": 23 + 30 * at, "is_left": is_left}
        row["label_x"] = x + 10 if is_inside else x - 8 if is_left else x + width + 8
        row["is_inside"] = is_inside
        rows.append(row)
    height = 30 * len(values) + 28
    return {
        "rows": rows,
        "height": height,
        "floor": height - 18,
        "ticks": _ticks(start, today, place),
    }


def _ticks(start: date, today: date, place: Callable[[date], float]) -> list[dict[str, Any]]:
    """The first of each month, at most eight of them."""
    months = (today.year - start.year) * 12 + today.month - start.month
    every = months // 8 + 1
    found = []
    for ahead in range(1, months + 1, every):
        month = start.month - 1 + ahead
        day = date(start.year + month // 12, month % 12 + 1, 1)
        if place(day) < 680:
            found.append({"x": place(day), "label": date_format(day, _("M"))})
    return found
