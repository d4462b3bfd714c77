"""What one sentence claims: what kind of thing it is, whose, which attribute has which value."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import lru_cache

from memoryweb.language.attributes import key_of
from memoryweb.language.categories import Category, categorise


class Kind(StrEnum):
    IDENTITY = "identity"
    HEALTH = "health"
    RELATION = "relation"
    PREFERENCE = "preference"
    INSTRUCTION = "instruction"
    DECISION = "decision"
    PLAN = "plan"
    EVENT = "event"
    OTHER = "other"


class Act(StrEnum):
    STATES = "states"
    CHANGES = "changes"  # "we moved to …", "from now on …"
    CORRECTS = "corrects"  # "that's wrong, it is …"
    CANCELS = "cancels"  # "the trip is off"
    ENDS = "ends"  # "I no longer …"
    ASKS = "asks"  # "remember that …"


@dataclass(frozen=True)
class Claim:
    """`subject` is normalised, "" whoever speaks or whom the memory is about; `attribute` is ""
    where several values may stand side by side; `valid_to` is the last day that it holds."""

    kind: Kind = Kind.OTHER
    act: Act = Act.STATES
    subject: str = ""
    attribute: str = ""
    value: str = ""
    valid_from: date | None = None
    valid_to: date | None = None
    durable: bool = False

    @property
    def key(self) -> tuple[str, str] | None:
        """Two claims of one key with different values are rivals; None: it rivals nothing."""
        return (self.subject, self.attribute) if self.attribute else None


_KINDS = {
    Category.IDENTITY: Kind.IDENTITY,
    Category.RELATION: Kind.RELATION,
    Category.WORK: Kind.IDENTITY,
    Category.PREFERENCE: Kind.PREFERENCE,
    Category.DECISION: Kind.DECISION,
    Category.COMMITMENT: Kind.PLAN,
    Category.EVENT: Kind.EVENT,
    Category.OTHER: Kind.OTHER,
}


@lru_cache(maxsize=16_384)
def claim_of(text: str) -> Claim:
    """Of one statement as it stands in a file, or of one sentence that somebody says."""
    key = key_of(text)
    kind = _KINDS[categorise(text)]
    if key is None:
        return Claim(kind=kind)
    act = Act.CHANGES if key.is_change else Act.STATES
    return Claim(kind, act, key.subject, key.attribute, key.value)
