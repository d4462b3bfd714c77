"""Short ways to write mentions, verdicts and nights, without a database."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta

from memoryweb.dreaming import consolidators
from memoryweb.dreaming.candidates import Candidate, Mention, Recall, gather, score
from memoryweb.dreaming.consolidators import Consolidation
from memoryweb.dreaming.document import Document
from memoryweb.dreaming.gates import Verdict, judge
from memoryweb.dreaming.inputs import Inputs, Text
from memoryweb.dreaming.operations import LivingStatement, Material, Utterance
from memoryweb.markdown.pins import pinned_lines
from memoryweb.memory.statements.bullets import statements_of

NIGHT = datetime(2026, 3, 10, 2, tzinfo=UTC)
OWN = 5  # the weight of the owner's word


def at(on: date, line: int = 0) -> datetime:
    return datetime.combine(on, time(12), UTC) + timedelta(microseconds=line)


def mention(
    text: str,
    day: int = 9,
    line: int = 3,
    *,
    durable: bool = True,
    asked: bool = False,
    category: str = "",
    month: int = 3,
    speaker: str = "",
    weight: int = OWN,
) -> Mention:
    on = date(2026, month, day)
    return Mention(
        file_id=f"file-{on}",
        path=f"memory/{on}.md",
        revision=1,
        line=line,
        date=on,
        text=text,
        durable=durable,
        asked=asked,
        category=category,
        by=Utterance(at(on, line), speaker, weight, weight >= OWN),
    )


def recall(*, queries: int, count: int, last: datetime) -> Recall:
    return Recall(frozenset((f"chat {n}", f"query {n % queries}") for n in range(count)), last)


def candidate(text: str, *mentions: Mention, recall: Recall | None = None) -> Candidate:
    places = mentions or (mention(text),)
    recalls = {(place.file_id, place.line): recall for place in places} if recall else {}
    (found,) = gather(places, recalls)
    return found


def verdicts(mentions: Sequence[Mention], memory: str = "", now: datetime = NIGHT) -> list[Verdict]:
    found = gather(mentions, {})
    said = [one.said_of() for one in mentions]
    return judge(found, score(found, now), memory_lines=memory.split("\n"), now=now, said=said)


@dataclass(frozen=True)
class Night:
    made: Consolidation
    content: str
    said: Mapping[str, Utterance]  # who said the lines of MEMORY.md, by their texts

    @property
    def bullets(self) -> list[str]:
        return [line[2:] for line in self.content.split("\n") if line.startswith("- ")]

    @property
    def replaced(self) -> list[tuple[str, str]]:
        done = (one for one in self.made.applied if one.new)
        return [(old.text, one.new.text) for one in done for old in one.gone if one.new]

    @property
    def disputed(self) -> list[tuple[str, str]]:
        waiting = (one for one in self.made.results if one.waits and one.against and one.new)
        return [(one.against.text, one.new.text) for one in waiting if one.against and one.new]

    def verdict(self, text: str) -> Verdict:
        return next(one for one in self.made.verdicts if one.candidate.text == text)


def inputs(
    memory: str,
    mentions: Sequence[Mention],
    *,
    persons: Collection[int] = (),
    said: Mapping[str, Utterance] | None = None,
    now: datetime = NIGHT,
    **material: object,
) -> Inputs:
    pinned = pinned_lines(memory)
    living = tuple(
        LivingStatement(
            f"line {one.line}",
            one.text,
            one.claim,
            (said or {}).get(one.text, Utterance(None, "", OWN, True)),
            is_persons=one.line in persons,
            is_pinned=one.line in pinned,
        )
        for one in statements_of(memory, "MEMORY.md")
    )
    found = Material(now.date(), living, tuple(one.said_of() for one in mentions))
    return Inputs(
        now=now,
        notes=(),
        memory=Text("memory", "MEMORY.md", 1, memory),
        diary=Text("", "DREAMS.md", 0, ""),
        mentions=tuple(mentions),
        recalls={},
        material=replace(found, **material),  # type: ignore[arg-type]
    )


def dreamt(read: Inputs, made: Consolidation | None = None) -> Night:
    """By the rules, unless something was decided otherwise."""
    made = made or consolidators.by_rules(read)
    document = Document(read.memory.content)
    document.write(made.applied)
    new = {one.new.text: one.new.by for one in made.applied if one.new}
    said = {one.text: one.by for one in read.material.living}
    return Night(made, document.render(), said | new)
