"""Small pictures as plain numbers for SVG templates."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _

from memoryweb.dreaming.queries import Night
from memoryweb.memory.context import Gauge
from memoryweb.runs.models import Run

_HEIGHT, _LEAST, _STEP = 22, 3, 8
_TONES = {Run.Status.FAILED: "fail", Run.Status.NEEDS_REVIEW: "hold"}


@dataclass(frozen=True)
class Bar:
    x: int
    y: int
    height: int
    tone: str
    label: str


@dataclass(frozen=True)
class Sparkline:
    bars: list[Bar]
    width: int
    label: str


def sparkline(nights: Sequence[Night]) -> Sparkline:
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
    return Sparkline(bars, len(bars) * _STEP, label)


def _bar(at: int, night: Night, most: int) -> Bar:
    tone = _TONES.get(Run.Status(night.status), "") if night.status else "none"
    height = max(_LEAST, round(_HEIGHT * night.promoted / most)) if night.status else 2
    if tone in {"fail", "hold"}:
        height = max(height, 12)
    elif not night.promoted:
        tone, height = "none", 2
    label = f"{night.day:%Y-%m-%d}: {night.promoted}"
    return Bar(at * _STEP, _HEIGHT - height + 1, height, tone, label)


@dataclass(frozen=True)
class Part:
    tone: str
    label: str
    tokens: int
    x: float
    width: float


@dataclass(frozen=True)
class TokenGauge:
    """How full the prompt is: its parts one after another, of 1,000 in all."""

    parts: list[Part]
    label: str
    told: str


def token_gauge(gauge: Gauge) -> TokenGauge:
    parts: list[Part] = []
    for tone, label, tokens in (
        ("system", _("Shared files"), gauge.system),
        ("memory", _("Personal memory and what was found"), gauge.memory),
        ("message", _("Message"), gauge.message),
    ):
        x = parts[-1].x + parts[-1].width if parts else 0.0
        width = min(1000 - x, max(3.0, 1000 * tokens / gauge.budget)) if tokens else 0.0
        parts.append(Part(tone, label, tokens, round(x, 1), round(width, 1)))
    said = _("{used} of {budget} tokens are used.").format(used=gauge.used, budget=gauge.budget)
    told = _("{used} of {budget} tokens, three quarters of the {window} that the model can read")
    numbers = {n: intcomma(getattr(gauge, n)) for n in ("used", "budget", "window")}
    return TokenGauge(parts, said, told.format(**numbers))
