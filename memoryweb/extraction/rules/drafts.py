"""What the languages have in common: the scene of a sentence and what is made of it."""

from dataclasses import dataclass
from datetime import datetime

from memoryweb.language.categories import Category


@dataclass(frozen=True)
class Scene:
    """Who says a sentence, to whom (empty: not clear) and when, and whom "we" may mean."""

    speaker: str
    other: str
    at: datetime
    group: str = ""
    to_assistant: bool = False
    earlier: tuple[str, ...] = ()  # the person's sentences so far, for corrections
    day: str = ""  # when what is told now happened, from the sentence before


@dataclass(frozen=True)
class Draft:
    text: str
    durable: bool
    needs_context: bool = False  # speaks of "it" or "they": good only after what it refers to
    alone: bool = False  # nothing that follows speaks of it
    asked: bool = False
    category: Category | None = None  # None: to be found from the text
