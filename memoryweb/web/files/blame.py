"""Who wrote each line of a file, as the gutter beside its text shows it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any
from uuid import UUID

from memoryweb.memory.lines.history import Said, Wrote, authorship
from memoryweb.memory.lines.revisions import history_of
from memoryweb.memory.models import Conversation, File
from memoryweb.memory.visible.placeholders import for_people
from memoryweb.web.access import TeamRequest
from memoryweb.web.display_names import author_of, message_url
from memoryweb.web.paging import page

PARAMETER = "authors"  # of the address: the gutter is open


@dataclass(frozen=True)
class _Told:
    number: int
    text: str
    wrote: Wrote
    said: Said | None

    @property
    def source(self) -> tuple[int, UUID | None]:
        return self.wrote.since, self.said.conversation_id if self.said else None


def is_asked(request: TeamRequest) -> bool:
    return PARAMETER in request.GET


def authored(request: TeamRequest, file: File, number: int) -> dict[str, Any]:
    """One page of the lines of a revision, in stretches."""
    known = authorship(file, number)
    count = len(known.lines) - (known.lines[-1:] == [""])
    shown = page(request, range(count), size=500)
    first = shown.first - 1 if count else 0
    lines = for_people(file, "\n".join(known.lines)).split("\n")
    told = _told(lines, known.wrote, range(first, first + len(shown)))
    return {"is_authored": True, "authored": _stretches(request, file, told), "page": shown}


def _told(lines: Sequence[str], wrote: Sequence[Wrote], places: range) -> list[_Told]:
    """A blank line goes with the one above it."""
    found: list[_Told] = []
    for at in places:
        one = _Told(at + 1, lines[at], wrote[at], next(iter(wrote[at].said), None))
        if not one.text.strip() and found:
            one = replace(found[-1], number=one.number, text=one.text)
        found.append(one)
    return found


def _stretches(request: TeamRequest, file: File, told: Sequence[_Told]) -> list[dict[str, Any]]:
    """Lines one below the other that one revision brought from one conversation."""
    keys = {one.said.conversation_id for one in told if one.said}
    talks = file.agent.conversations.in_bulk(keys)
    numbers = {one.wrote.since for one in told}
    revisions = {one.number: one for one in history_of(file).filter(number__in=numbers)}
    found = []
    for (number, talk_id), group in groupby(told, key=lambda one: one.source):
        revision, lines = revisions.get(number), list(group)
        talk = talks.get(talk_id) if talk_id else None
        said = dict.fromkeys(one.said for one in lines if one.said)
        author = author_of(request, revision, talk, next(iter(said), None)) if revision else None
        shown = _lines(request, lines, talk, said)
        found.append(
            {
                "revision": number,
                "author": author,
                "lines": shown,
                "messages": len(said),
                "heat": _heat(author.at, request.visit.now) if author and author.at else 0,
            }
        )
    return found


# Younger than so many days: the warmest first.
_AGES = (2, 8, 31, 181)


def _heat(at: datetime, now: datetime) -> int:
    """0 is cold, as old as anything; the date says in words what the color shows."""
    return len(_AGES) - sum((now - at).days >= age for age in _AGES)


def _lines(
    request: TeamRequest,
    told: Sequence[_Told],
    talk: Conversation | None,
    said: Mapping[Said, None],
) -> list[dict[str, Any]]:
    """Where several messages stand behind a stretch, each line leads to its own."""
    return [
        {
            "number": one.number,
            "text": one.text,
            "message_url": message_url(request, talk, one.said)
            if len(said) > 1 and one.said and one.text.strip()
            else "",
        }
        for one in told
    ]
