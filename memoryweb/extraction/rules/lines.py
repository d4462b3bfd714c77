"""What goes into the rules extractor and what comes out of it."""

from dataclasses import dataclass
from datetime import datetime

from memoryweb.language.categories import Category


@dataclass(frozen=True)
class Spoken:
    """One message. `at` is aware and in UTC; `name` may be empty."""

    id: str
    role: str
    name: str
    content: str
    at: datetime


@dataclass(frozen=True)
class NoteLine:
    """One statement worth keeping: a single line of plain text that stands by itself."""

    text: str
    message_ids: tuple[str, ...]
    durable: bool
    category: Category
    asked: bool  # the person explicitly asked to remember it
