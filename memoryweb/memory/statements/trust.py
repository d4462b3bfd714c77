"""How far a statement is trusted, computed whenever it is read (SPEC §6.2). Pure."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from memoryweb.language.extraction_rules import Kind

START, HELPFUL, UNHELPFUL, CONFIRMED = 0.5, 0.1, -0.2, 0.2
HALF_LIFE = 60  # days without a mention
STEADY = frozenset({Kind.IDENTITY, Kind.HEALTH, Kind.RELATION, Kind.INSTRUCTION})


class Band(TextChoices):
    HIGH = "high", _("high")
    MEDIUM = "medium", _("medium")
    LOW = "low", _("low")


FROM = {Band.HIGH: 0.6, Band.MEDIUM: 0.3, Band.LOW: 0.0}


def trust(
    helpful: int, unhelpful: int, *, confirmed: bool, days_since: float, fades: bool
) -> float:
    """0..1. `days_since` it was last said or confirmed."""
    said = START + HELPFUL * helpful + UNHELPFUL * unhelpful + CONFIRMED * confirmed
    return min(1.0, max(0.0, round(said, 9))) * fading(days_since, fades=fades)


def ranked(relevance: float, trusted: float) -> float:
    """How far a statement shall be told for a question."""
    return relevance * (0.7 + 0.3 * trusted)


def beside_others(trusted: float) -> float:
    """What trust makes of the score of a statement among texts that nobody trusts or doubts."""
    return ranked(1.0, trusted) / ranked(1.0, START)


def fading(days_since: float, *, fades: bool) -> float:
    return 2 ** (-max(0.0, days_since) / HALF_LIFE) if fades else 1.0


def band(value: float) -> Band:
    return next(one for one, least in FROM.items() if value >= least)
