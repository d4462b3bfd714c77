"""Small pictures as plain numbers for SVG templates."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.formats import date_format
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from memoryweb.dreaming.queries import Night
from memoryweb.memory.index.recalls import Prompts
from memoryweb.memory.prompt import Gauge
from memoryweb.runs.models import Run
from memoryweb.web.wording import Text


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


def day_bars(days: Sequence[tuple[date, int]]) -> "BarChart":
    """A bar a day, of 280 by 34, the last one marked."""
    most = max((n for _day, n in days), default=0) or 1
    step = 280 / max(1, len(days))
    bars = []
    for at, (day, n) in enumerate(days):
        height = max(2, round(34 * n / most))
        told = ngettext("{day}: {n} token", "{day}: {n} tokens", n)
        title = told.format(day=date_format(day, _("D")), n=intcomma(n))
        tone = "b1" if at == len(days) - 1 else "b2"
        bars.append(bar(tone, at * step + 2, 34 - height, step - 4, height, title))
    counts = [n for _day, n in days]
    said = _("Tokens a day, from {least} to {most}")
    numbers = {"least": intcomma(min(counts, default=0)), "most": intcomma(max(counts, default=0))}
    return BarChart(tuple(bars), said.format(**numbers))


def use_bars(days: Sequence[tuple[date, int]]) -> dict[str, Any]:
    """A bar a day on a floor of 300 by 84; days without a use have a dash."""
    most = max(2, *(n for _day, n in days))
    step = 286 / len(days)
    bars = []
    for at, (day, n) in enumerate(days):
        height = round(56 * n / most)
        told = ngettext("{day}: used {n} time", "{day}: used {n} times", n)
        x, title = 15 + at * step, told.format(day=date_format(day, _("j M")), n=n)
        used = bar("b1", x, 68 - height, 7, height or 2, title)
        bars.append(used if n else bar("b0", x + 1.5, 64.5, 4, 2, title))
    half = (most + 1) // 2
    lines = [{"n": n, "y": round(68 - 56 * n / most, 1)} for n in (half, most)]
    return {"bars": bars, "lines": lines, "first": days[0][0]}


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


# The small charts of the first page, as plain numbers for SVG templates.

_STEP, _HEIGHT, _BAR_TOP = 20, 43, 40
_DAY, _BARS = 40, 50


@dataclass(frozen=True)
class Bar:
    """`tone`: a class of the style sheet. `title` says in words what it shows."""

    tone: str
    x: str  # numbers as SVG has them, whatever the reader's language
    y: str
    width: str
    height: str
    title: str = ""
    label: str = ""


@dataclass(frozen=True)
class BarChart:
    bars: tuple[Bar, ...]
    label: str
    told: str = ""


def bar(
    tone: str, x: float, y: float, width: float, height: float, title: str, label: str = ""
) -> Bar:
    left, top, wide, high = (f"{round(n, 1):g}" for n in (x, y, width, height))
    return Bar(tone, left, top, wide, high, title, label)


def strip(nights: Sequence[Night]) -> BarChart:
    """Fourteen nights: what came in below, what was changed or left above it."""
    most = max((night.added + night.changed for night in nights), default=0) or 1
    bars: list[Bar] = []
    for at, night in enumerate(nights):
        bars += _night(at * _STEP + 4, night, most)
    learned = sum(night.added for night in nights)
    told = ngettext("{n} learned", "{n} learned", learned).format(n=learned)
    return BarChart(tuple(bars), _("The last 14 nights"), told)


def week(days: Mapping[date, Prompts], today: date) -> BarChart:
    """Seven days of prompts: those that looked something up below, the others above."""
    shown = [today - timedelta(days=ago) for ago in reversed(range(7))]
    most = max((one.served for one in days.values()), default=0) or 1
    bars: list[Bar] = []
    for at, day in enumerate(shown):
        prompts = days.get(day, Prompts(0, 0))
        x, title = at * _DAY + 8, _prompts(day, prompts)
        used, rest = (_BARS * n / most for n in (prompts.used, prompts.silent))
        label = date_format(day, _("D"))
        bars.append(bar("b1", x, _BARS - used, 24, used, title, label))
        bars.append(bar("b0", x, _BARS - used - rest, 24, rest, title))
    return BarChart(tuple(bars), _("Prompts of the last seven days"))


def _night(x: float, night: Night, most: int) -> list[Bar]:
    learned, changed = night.added, night.changed
    title = _title(night, get_language())
    if night.status == Run.Status.FAILED:
        return [bar("bx", x, _HEIGHT - 12, 12, 12, title)]
    if not learned and not changed:
        tone = "bw" if night.status == Run.Status.NEEDS_REVIEW else "b0"
        return [bar(tone, x + 3, _HEIGHT - 4, 6, 2.5, title)]
    low, high = (_BAR_TOP * n / most for n in (learned, changed))
    bars = [bar("b1", x, _HEIGHT - low, 12, low, title)] if learned else []
    if changed:
        bars.append(bar("b2", x, _HEIGHT - low - high, 12, high, title))
    return bars


@lru_cache(2048)
def _title(night: Night, _language: str | None) -> str:
    day = date_format(night.day, _("j M"))
    if night.status == Run.Status.FAILED:
        return _("{day}: the dream failed").format(day=day)
    if night.status == Run.Status.NEEDS_REVIEW and not (night.added or night.changed):
        return _("{day}: waits for a person").format(day=day)
    if not night.status:
        return _("{day}: no dream").format(day=day)
    if not (night.added or night.changed):
        return _("{day}: nothing new").format(day=day)
    said = _("{day}: {learned} learned, {changed} changed or ended")
    return said.format(day=day, learned=night.added, changed=night.changed)


def _prompts(day: date, prompts: Prompts) -> str:
    said = _("{day}: {n} prompts carried memory, {used} looked something up")
    return said.format(day=date_format(day, _("D j M")), n=prompts.served, used=prompts.used)


# Charts of days as plain numbers for an SVG, and the same numbers as a table.

_WIDTH, _TOP = 560, 108


@dataclass(frozen=True)
class Series:
    """`tone`: a class of the style sheet. `key`: that of the legend's swatch."""

    label: Text
    tone: str
    key: str
    values: Sequence[int]


@dataclass(frozen=True)
class Chart:
    """`rows` are the table: a day, and a number of each series; days without any are left out."""

    id: str
    title: Text
    total: int
    unit: Text
    series: tuple[Series, ...]
    bars: tuple[Bar, ...]
    most: int
    first: date
    last: date
    rows: tuple[tuple[date, tuple[int, ...]], ...]


def chart(
    name: str, title: Text, total: int, unit: Text, days: Sequence[date], series: Sequence[Series]
) -> Chart:
    """A bar a day, its series one upon the other."""
    columns = list(zip(*(one.values for one in series), strict=True))
    most = max(map(sum, columns), default=0)
    step = _WIDTH / max(1, len(days))
    bars = []
    for at, (day, column) in enumerate(zip(days, columns, strict=True)):
        top = float(_TOP)
        for one, value in zip(series, column, strict=True):
            height = _TOP * value / (most or 1)
            top -= height
            if value:
                told = f"{date_format(day, _('D j M'))}: {value} {one.label}"
                x, width = at * step + step * 0.12, step * 0.76
                bars.append(bar(one.tone, x, top, width, height, told))
    shown = zip(days, columns, strict=True)
    rows = tuple((day, column) for day, column in shown if any(column))
    return Chart(
        name, title, total, unit, tuple(series), tuple(bars), most, days[0], days[-1], rows
    )
