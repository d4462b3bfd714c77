"""Sample sets of talk, each item lived by a person of its own, and what their prompt then says."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from time import process_time
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone
from django_scopes import scope

from memoryweb.agents.models import Reader
from memoryweb.dreaming import schedule
from memoryweb.dreaming.models import Operation
from memoryweb.language.forget_requests import forgets
from memoryweb.markdown.blocks import blocks
from memoryweb.memory.models import Contradiction, Fact, LineOrigin
from memoryweb.memory.prompt.context import build
from memoryweb.memory.search.engine import known, search
from scripts import sample_judge, sample_sets
from scripts.memory_measures import (
    Home,
    Use,
    consolidating,
    dream,
    home_of,
    refused_notes,
    say,
    troubles,
    use,
)
from scripts.memory_model import Step, steps_of
from scripts.sample_judge import Counts
from scripts.sample_sets import Chat, Item
from tests.clock import Clock

ASKED_AT = datetime(2026, 6, 1, 9, tzinfo=UTC)
FIRST = 10  # hits that a search shows


@dataclass(frozen=True)
class Told:
    """What became of one item; `stands` is what memory holds of it."""

    id: str
    counts: Counts
    stands: tuple[str, ...]
    use: Use = field(default_factory=Use)
    troubles: tuple[str, ...] = ()  # runs that failed, operations that were refused


@dataclass(frozen=True)
class SetFigures:
    name: str
    by: str
    counts: Counts
    use: Use
    seconds: float  # of the processor
    told: tuple[Told, ...]


def run(name: str, by: str, *, padded: bool = False) -> SetFigures:
    started = process_time()
    with pytest.MonkeyPatch.context() as patch:
        told = tuple(_told(name, by, padded, Clock(ASKED_AT, patch)))
    counts: Counts = sum((one.counts for one in told), Counter(items=len(told)))
    all_use = sum((one.use for one in told), Use())
    return SetFigures(name, by, counts, all_use, process_time() - started, told)


def can_run(name: str, by: str) -> bool:
    """A model's answers are written down for changes alone, and what asks no model is done once."""
    kind = name.partition(".")[0]
    return by == "rules" or kind == "changes" or (by == "endpoint" and kind in _LIVED)


def _told(name: str, by: str, padded: bool, clock: Clock) -> Iterator[Told]:
    kind = name.partition(".")[0]
    if kind in {"forget", "notforget"}:
        for number, line in enumerate(sample_sets.lines(name), 1):
            yield Told(str(number), Counter(seen=int(any(forgets(line)))), (line,))
    elif kind == "silence":
        for number, row in enumerate(sample_sets.rows(name), 1):
            yield _asked(str(number), row, clock)
    else:
        for item in sample_sets.items(name):
            item = sample_sets.padded(item) if padded else item
            with consolidating(by, _steps(item) if by == "model" else ()):
                home = home_of(item.person, by)
                with scope(team=home.team):
                    counts, stands = _LIVED[kind](Life(home, clock), item)
                    yield Told(item.id, counts, tuple(stands), use(home), tuple(_troubles(home)))


def _troubles(home: Home) -> Iterator[str]:
    yield from troubles(home)
    yield from refused_notes(home)
    for one in Operation.objects.filter(report__agent=home.agent).exclude(code="").order_by("pk"):
        yield f"{one.does} refused: {one.code}: {one.after or one.before}"


def _steps(item: Item) -> list[Step]:
    return steps_of(item.said("before"), item.said("later"), item.row["op"])


@dataclass(frozen=True)
class Life:
    home: Home
    clock: Clock

    def live(self, chats: Sequence[Chat], until: date | None = None) -> None:
        """Chats at their times, and the nights after them; those between where one is due."""
        if not chats:
            return
        day, last = chats[0][0].day, until or chats[-1][-1].day + timedelta(days=1)
        while day < last:
            today = [chat for chat in chats if chat[0].day == day]
            for chat in today:
                self.clock.put(chat[-1].at + timedelta(minutes=2))
                say(self.home, chat[0].conversation, chat)
            day += timedelta(days=1)
            self.clock.put(datetime.combine(day, time(2), UTC))
            if today or (until and self._is_due()):
                dream(self.home, day)

    def stands(self) -> list[str]:
        """Lines of the person's own in a prompt, and statements that hold and stand in no file."""
        reader = Reader(self.home.agent, self.home.owner)
        shared = _lines(Reader(self.home.agent))
        beside = known(reader, timezone.now()).filter(file=None)
        return [
            *(line for line in _lines(reader) if line not in shared),
            *beside.values_list("raw_text", flat=True),
        ]

    def statements(self) -> dict[UUID, str]:
        reader = Reader(self.home.agent, self.home.owner)
        return dict(known(reader, timezone.now()).values_list("pk", "raw_text"))

    def asked(self) -> list[str]:
        """Statements that a person is asked about."""
        mine = Contradiction.objects.filter(agent=self.home.agent, owner=self.home.owner)
        of_open = Fact.objects.filter(contradiction__in=mine.filter(state="open"))
        return list(of_open.values_list("raw_text", flat=True))

    def has_noted(self, day: date) -> bool:
        """Something that was said that day is to be kept."""
        of_day = LineOrigin.objects.filter(file__agent=self.home.agent, file__note_date=day)
        return of_day.filter(durable=True).exists()

    def _is_due(self) -> bool:
        due = schedule.with_new_notes(self.home.agent, timezone.now())
        return self.home.owner in due


def _lines(reader: Reader) -> list[str]:
    context = build(reader, "")
    text = "\n".join([context.system, *(turn.content for turn in context.messages)])
    return [one.text.removeprefix("- ") for one in blocks(text) if one.kind == "bullet"]


def _change(life: Life, item: Item) -> tuple[Counts, list[str]]:
    life.live(item.before)
    before = life.stands()
    life.live(item.later)
    after = life.stands()
    return sample_judge.change(item, before, after, life.asked()), after


def _pair(life: Life, item: Item) -> tuple[Counts, list[str]]:
    life.live(item.before)
    before = life.stands()
    life.live(item.later)
    after = life.stands()
    return sample_judge.pair(item, before, after, life.asked()), after


def _situation(life: Life, item: Item) -> tuple[Counts, list[str]]:
    life.live(item.later, item.until)
    after = life.stands()
    return sample_judge.situation(item, after), after


def _two(life: Life, item: Item) -> tuple[Counts, list[str]]:
    life.live(item.before)
    first = life.statements()
    life.live(item.later)
    both, noted = life.statements(), life.has_noted(item.later[0][0].day)
    return sample_judge.two(item.row["same"], first, both, noted=noted), [*both.values()]


_LIVED: dict[str, Callable[[Life, Item], tuple[Counts, list[str]]]] = {
    "changes": _change,
    "pairs": _pair,
    "everyday": _situation,
    "hardpairs": _two,
}


def _asked(id: str, row: dict[str, Any], clock: Clock) -> Told:
    """What was said a week ago, each sentence in a chat of its own, is all that memory has."""
    item = sample_sets.silence(id, row, ASKED_AT - timedelta(days=7))
    with consolidating("rules"):
        home = home_of(item.person, "rules")
        with scope(team=home.team):
            for chat in item.before:
                clock.put(chat[-1].at + timedelta(minutes=2))
                say(home, chat[0].conversation, chat)
            clock.put(ASKED_AT)
            reader = Reader(home.agent, home.owner)
            told = [one.hit.text for one in build(reader, row["query"]).hits]
            found = search(reader, row["query"], limit=FIRST).hits
    counts = sample_judge.silence(row, told, [one.text for one in found])
    return Told(id, counts, tuple(told))
