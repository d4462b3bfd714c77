"""The small charts of the first page, as plain numbers for SVG templates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryweb.dreaming.queries import Night
from memoryweb.memory.index.recalls import Prompts
from memoryweb.runs.models import Run

_STEP, _HEIGHT, _TOP = 20, 43, 40
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
class Chart:
    bars: tuple[Bar, ...]
    label: str
    told: str = ""


def bar(
    tone: str, x: float, y: float, width: float, height: float, title: str, label: str = ""
) -> Bar:
    left, top, wide, high = (f"{round(n, 1):g}" for n in (x, y, width, height))
    return Bar(tone, left, top, wide, high, title, label)


def strip(nights: Sequence[Night]) -> Chart:
    """Fourteen nights: what came in below, what was changed or left above it."""
    most = max((night.added + night.changed for night in nights), default=0) or 1
    bars: list[Bar] = []
    for at, night in enumerate(nights):
        bars += _night(at * _STEP + 4, night, most)
    learned = sum(night.added for night in nights)
    told = ngettext("{n} learned", "{n} learned", learned).format(n=learned)
    return Chart(tuple(bars), _("The last 14 nights"), told)


def week(days: Mapping[date, Prompts], today: date) -> Chart:
    """Seven days of prompts: those that memory answered below, the silent ones above."""
    shown = [today - timedelta(days=ago) for ago in reversed(range(7))]
    most = max((one.served for one in days.values()), default=0) or 1
    bars: list[Bar] = []
    for at, day in enumerate(shown):
        prompts = days.get(day, Prompts(0, 0))
        x, title = at * _DAY + 8, _prompts(day, prompts)
        used, silent = (_BARS * n / most for n in (prompts.used, prompts.silent))
        label = date_format(day, _("D"))
        bars.append(bar("b1", x, _BARS - used, 24, used, title, label))
        bars.append(bar("b0", x, _BARS - used - silent, 24, silent, title))
    return Chart(tuple(bars), _("Prompts of the last seven days"))


def _night(x: float, night: Night, most: int) -> list[Bar]:
    learned, changed = night.added, night.changed
    title = _title(night)
    if night.status == Run.Status.FAILED:
        return [bar("bx", x, _HEIGHT - 12, 12, 12, title)]
    if not learned and not changed:
        tone = "bw" if night.status == Run.Status.NEEDS_REVIEW else "b0"
        return [bar(tone, x + 3, _HEIGHT - 4, 6, 2.5, title)]
    low, high = (_TOP * n / most for n in (learned, changed))
    bars = [bar("b1", x, _HEIGHT - low, 12, low, title)] if learned else []
    if changed:
        bars.append(bar("b2", x, _HEIGHT - low - high, 12, high, title))
    return bars


def _title(night: Night) -> str:
    day = date_format(night.day, _("j M"))
    if night.status == Run.Status.FAILED:
        return _("{day}: the dream failed").format(day=day)
    if night.status == Run.Status.NEEDS_REVIEW and not (night.added or night.changed):
        return _("{day}: waits for a person").format(day=day)
    if not night.status:
        return _("{day}: no dream").format(day=day)
    if not (night.added or night.changed):
        return _("{day}: nothing new").format(day=day)
    said = _("{day}: {learned} learned, {changed} changed or retired")
    return said.format(day=day, learned=night.added, changed=night.changed)


def _prompts(day: date, prompts: Prompts) -> str:
    said = _("{day}: {n} prompts, {used} used memory, {silent} stayed silent")
    return said.format(
        day=date_format(day, _("D j M")), n=prompts.served, used=prompts.used, silent=prompts.silent
    )
