"""Charts of days as plain numbers for an SVG, and the same numbers as a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from memoryweb.web.last_night.charts import Bar, bar
from memoryweb.web.wording import Text

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
