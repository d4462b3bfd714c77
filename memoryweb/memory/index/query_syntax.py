"""What a person or program typed into a search, taken apart. Pure.

    camping "two tents" path:memory/ owner:me after:2026-11-01 before:2026-12-01 at:2026-11-20

Words are joined by OR; every quoted phrase must occur. `after:` includes its day, `before:`
does not; `at:` is a moment, or the end of a day (UTC).
"""

import re
from collections.abc import Collection
from dataclasses import astuple, dataclass
from datetime import UTC, date, datetime, time

from django.core import signing
from django.utils.translation import gettext as _

from memoryweb.agents.models import Reader
from memoryweb.memory.models.refusals import SearchRefused

MOST_CHARACTERS = 10_000
_PART = re.compile(
    r'(?P<filter>path|owner|before|after|at):(?:"(?P<quoted>[^"]+)"|(?P<plain>[^\s"]+))'
    r'|"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+)|"'
)


@dataclass(frozen=True)
class Query:
    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    path: str = ""
    owner: str = ""
    before: date | None = None
    after: date | None = None
    at: datetime | None = None


def parse(text: str) -> Query:
    """Raises SearchRefused: a date that is none. Beyond 10,000 characters nothing is read."""
    words: list[str] = []
    phrases: list[str] = []
    filters: dict[str, str] = {}
    for part in _PART.finditer(_readable(text)):
        if part["filter"]:
            filters[part["filter"]] = part["quoted"] or part["plain"]
        elif part["phrase"] and part["phrase"].strip():
            phrases.append(part["phrase"])
        elif part["word"]:
            words.append(part["word"])
    return Query(
        tuple(words),
        tuple(phrases),
        path=filters.get("path", ""),
        owner=filters.get("owner", ""),
        before=_day("before", filters.get("before")),
        after=_day("after", filters.get("after")),
        at=_moment(filters.get("at")),
    )


def plain(text: str) -> Query:
    """A text that is no query, such as a message: all of it words, nothing a filter. Of a long one
    its beginning and its end, where people ask about what they pasted."""
    half = MOST_CHARACTERS // 2
    if len(text) > MOST_CHARACTERS:
        text = f"{text[:half]}\n{text[-half:]}"
    return Query((_readable(text),))


def _readable(text: str) -> str:
    """Without NUL and halves of characters, which no database takes."""
    return text[:MOST_CHARACTERS].encode(errors="replace").decode().replace("\0", " ")


def _day(name: str, text: str | None) -> date | None:
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise SearchRefused(
            "bad_date",
            _("After “{name}:” write a date such as 2026-11-20; “{text}” isn’t one.").format(
                name=name, text=text[:40]
            ),
        ) from error


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        if len(text) == 10:
            return datetime.combine(date.fromisoformat(text), time.max, UTC)
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise SearchRefused(
            "bad_date",
            _(
                "After “at:” write a date or a moment such as 2026-11-20 or"
                " 2026-11-20T18:00Z; “{text}” isn’t one."
            ).format(text=text[:40]),
        ) from error


# Where a page of results ended, as an opaque text that fits the same search only.


@dataclass(frozen=True)
class Cursor:
    """The last hit of a page: the file or conversation, the place in it, and its score then."""

    whole: int
    ordinal: int
    score: float


def stamp(reader: Reader, query: Query, kinds: Collection[str], scope: str) -> str:
    owner = reader.owner.pk if reader.owner else None
    return f"memoryweb.search {(reader.agent.pk, owner, query, sorted(kinds), scope)!r}"


def write(cursor: Cursor, stamp: str) -> str:
    return signing.dumps(astuple(cursor), salt=stamp)


def read(text: str, stamp: str) -> Cursor:
    """Raises SearchRefused."""
    try:
        return Cursor(*signing.loads(text, salt=stamp))
    except signing.BadSignature:
        raise SearchRefused(
            "bad_cursor", _("This page of results does not exist; start the search again.")
        ) from None
