"""The two consolidators behind one shape: operations, what became of each, and why."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.conf import settings

from memoryweb.dreaming import document as capacity
from memoryweb.dreaming import gates, memory_tests
from memoryweb.dreaming.candidates import Candidate, Mention, gather, score
from memoryweb.dreaming.decisions import decide, living_after
from memoryweb.dreaming.document import Document
from memoryweb.dreaming.gates import UNTAKEN, Thresholds, Verdict
from memoryweb.dreaming.inputs import Inputs
from memoryweb.dreaming.operations import (
    NOBODY,
    CitableLine,
    Does,
    DreamAnswer,
    LivingStatement,
    Material,
    Operation,
    Result,
    Utterance,
    Waits,
    Why,
    is_later,
)
from memoryweb.dreaming.rivals import possible_rivals
from memoryweb.language.statement_comparison import Lookup, clean, covers
from memoryweb.memory.models import MemoryTest

PART = 4_000  # characters of a block that a model is given as one
MOST_CHARACTERS = 40_000  # of notes that it is given at once
MOST_PAIRS = 20  # of possible rivals
_CAN_CHANGE = frozenset({"full", *Waits})  # another night may decide otherwise


@dataclass(frozen=True)
class Consolidation:
    """What became of every candidate and every operation. `told` is a model's own diary entry;
    `retired` are memory tests that what was said later overtook."""

    verdicts: tuple[Verdict, ...]
    results: tuple[Result, ...]
    told: str = ""
    retired: tuple[MemoryTest, ...] = ()

    @cached_property
    def applied(self) -> list[Result]:
        return [one for one in self.results if one.is_applied]

    @property
    def proposed(self) -> list[Result]:
        return [one for one in self.results if one.waits in (Waits.OUTSIDE, Waits.TEST)]


def by_rules(inputs: Inputs) -> Consolidation:
    inputs = replace(inputs, material=_backed(inputs.material))
    verdicts = _judge(inputs, has_room=len(inputs.memory.content) < capacity.AMPLE)
    passed = [one.candidate for one in verdicts if _passes(one)]
    return _made(inputs, verdicts, [_added(one) for one in sorted(passed, key=_moment)])


def _passes(verdict: Verdict) -> bool:
    """What comes from outside the team is proposed, where nothing else is wanting."""
    return all(gate.passed or gate.name == "vouched" for gate in verdict.gates)


def _moment(candidate: Candidate) -> tuple[bool, str, str]:
    """In the order in which things were said."""
    at = candidate.mentions[-1].by.said_at
    return at is not None, str(at), candidate.key


def _added(candidate: Candidate) -> Operation:
    """What it takes the place of is the engine's to find."""
    cited = [one.ref for one in candidate.mentions if candidate.outside or not one.outside]
    return Operation(Does.ADD, candidate.text, sources=tuple(cited), kind=candidate.kind)


def by_model(inputs: Inputs, answers: Sequence[DreamAnswer]) -> Consolidation:
    """What the model's answers make of the inputs; nothing in them is taken on trust."""
    named = refs(inputs)
    operations = [_named(one.operation, named) for answer in answers for one in answer.operations]
    told = "\n\n".join(answer.diary for answer in answers).strip()
    # Whatever line it cites, the model has read the words from outside.
    has_outside = any(mention.outside for mention in inputs.mentions)
    material = replace(_backed(inputs.material), is_outside=has_outside)
    cited = frozenset(ref for one in operations if one.text for ref in one.sources)
    verdicts = _judge(inputs, cited)
    return _made(replace(inputs, material=material), verdicts, operations, told)


def said_again(material: Material) -> Iterator[tuple[CitableLine, LivingStatement]]:
    """Each note line of the team with each statement that says all of it."""
    living = {one.text: one for one in material.living}
    lookup = Lookup(living)
    for said in material.said:
        if not said.is_outside:
            found = (living[text] for text in lookup.covering(said.text))
            yield from ((said, one) for one in found if _says_it(said, one))


def _says_it(said: CitableLine, one: LivingStatement) -> bool:
    """What has ended is said again by nothing less than the whole sentence."""
    return not one.ended or covers(said.text, one.text)


def _backed(material: Material) -> Material:
    """A statement was said last where its speaker said it last."""
    last = {one.id: one for one in material.living}
    for said, one in said_again(material):
        by = last[one.id].by
        if said.by.speaker == by.speaker and is_later(said.by.said_at, by.said_at):
            last[one.id] = replace(one, by=replace(by, said_at=said.by.said_at))
    return replace(material, living=tuple(last.values()))


def data_for_model(inputs: Inputs) -> Iterator[dict[str, Any]]:
    """What the model is given, once for every part of the notes: the statements that hold, and
    the note lines, each under an id that its answer may name; no note that only says what memory
    says already."""
    material = inputs.material
    given: dict[str, Any] = {
        "memory": statements(material),
        "retired": [{"text": text, "why": why} for text, why in inputs.retired],
        "corrected": [
            *(one.text for one in material.corrections if one.is_persons),
            *material.rejected,
        ],
        "date": material.today.isoformat(),
        "language": material.language,
    }
    known = {
        said.ref
        for said, one in said_again(material)
        if not (one.is_flagged or one.is_hidden or one.ended)
    }
    pairs = list(_rivals(inputs, known))
    for notes in parts(inputs.mentions, known):
        there = {*(one["id"] for one in notes), *(one["id"] for one in given["memory"])}
        rivals = [pair for pair in pairs if there.issuperset(pair)][:MOST_PAIRS]
        yield given | {"notes": notes} | ({"rivals": rivals} if rivals else {})


def statements(material: Material) -> list[dict[str, Any]]:
    """The statements that a model may read."""
    numbered = enumerate(_oldest_first(material), start=1)
    return [_statement(number, one) for number, one in numbered if not one.is_flagged]


def _rivals(inputs: Inputs, known: Collection[str]) -> Iterator[list[str]]:
    """Statements and new notes that may contradict each other: the ids of the older and the newer
    one."""
    material, ids = inputs.material, {to: name for name, to in refs(inputs).items()}
    told = (said.statement for said in material.said if said.ref not in known)
    for pair in possible_rivals((*material.living, *told), material.today):
        yield [ids[one.id] for one in pair]


def _oldest_first(material: Material) -> list[LivingStatement]:
    """What is new stands last, so that what was there before is the same again each night."""
    return sorted(material.living, key=lambda one: str(one.by.said_at or ""))


def _statement(number: int, one: LivingStatement) -> dict[str, Any]:
    said: dict[str, Any] = {"id": f"s{number}", "text": one.text}
    if one.by.said_at:
        said["said"] = one.by.said_at.date().isoformat()
    if one.ended:
        said["ended"] = [f"{it.on}: {it.words}" for it in one.ended]
    if one.is_hidden:
        return said | {"outdated": True}
    return said | ({"fixed": True} if one.is_fixed else {})


def parts(
    mentions: Sequence[Mention], known: Collection[str] = ()
) -> Iterator[list[dict[str, str]]]:
    """All of every note, however long, in as many answers as it takes."""
    part: list[dict[str, str]] = []
    size = 0
    for number, one in enumerate(mentions, start=1):
        line = "" if one.waits or one.ref in known else clean(one.text)
        for start in range(0, len(line), PART):
            text = line[start : start + PART]
            if part and size + len(text) > MOST_CHARACTERS:
                yield part
                part, size = [], 0
            part.append({"id": f"n{number}", "text": text, "said": f"{one.date}"} | _who(one.by))
            size += len(text)
    if part:
        yield part


def _who(by: Utterance) -> dict[str, str]:
    """By name; the ids of people are nobody's business."""
    if not by.speaker:
        return {}
    return {"who": by.name or (NOBODY if by.speaker == NOBODY else "somebody else")}


def refs(inputs: Inputs) -> Mapping[str, str]:
    living = {f"s{n}": one.id for n, one in enumerate(_oldest_first(inputs.material), start=1)}
    return living | {f"n{n}": one.ref for n, one in enumerate(inputs.mentions, start=1)}


def _named(operation: Operation, refs: Mapping[str, str]) -> Operation:
    """With ids of ours; what the model made up stays unknown."""
    old = tuple(refs.get(one, f"? {one}") for one in operation.old)
    return replace(
        operation, old=old, sources=tuple(refs.get(one, f"? {one}") for one in operation.sources)
    )


def _made(
    inputs: Inputs, verdicts: Sequence[Verdict], operations: Sequence[Operation], told: str = ""
) -> Consolidation:
    results = decide(inputs.material, operations)
    if inputs.profile is not None:
        results = tuple(capacity.placed(results, inputs.profile.content))
    tests, living = inputs.tests, {one.text for one in inputs.material.living}
    lines = (clean(it) for text in inputs.written for it in text.content.split("\n") if tests)
    others = [line for line in lines if line not in living]
    results, retired = memory_tests.held_back(tests, inputs.material, results, others)
    results = (*results, *_without_room(inputs, results))
    return Consolidation(tuple(_settled(verdicts, results)), results, told, retired)


def _without_room(inputs: Inputs, results: Sequence[Result]) -> list[Result]:
    """What leaves because MEMORY.md is full, or comes back because it isn't any more."""
    document = Document(inputs.memory.content, language=inputs.material.language)
    document.write(one for one in results if one.is_applied)
    living = living_after(inputs.material, results)
    size = len(document.render())
    over = capacity.ended_out(living, size)
    living = tuple(one for one in living if one not in over)
    excess = size - sum(map(capacity.size_of, over)) - capacity.CAP
    found = [Result(Operation(Does.RETIRE, old=(one.id,)), gone=(one,)) for one in over]
    found += [
        Result(Operation(Does.RETIRE, old=(one.id,), why=Why.ROOM), gone=(one,), why=Why.ROOM)
        for one in capacity.leaving(living, excess)
    ]
    for one in capacity.returning(living, -excess):
        back = Operation(Does.ADD, one.text, (one.id,), why=Why.ROOM)
        found.append(Result(back, new=replace(one, stands=True), why=Why.ROOM))
    return found


def _judge(
    inputs: Inputs, cited: frozenset[str] = frozenset(), *, has_room: bool = False
) -> tuple[Verdict, ...]:
    candidates = [
        replace(candidate, proposed=any(mention.ref in cited for mention in candidate.mentions))
        for candidate in gather(inputs.mentions, inputs.recalls)
    ]
    return tuple(
        gates.judge(
            candidates,
            score(candidates, inputs.now),
            memory_lines=inputs.memory.content.split("\n"),
            now=inputs.now,
            said=inputs.material.said,
            living=inputs.material.living,
            rejected_before=inputs.material.rejected,
            thresholds=Thresholds(
                min_score=settings.DREAM_MIN_SCORE, window_days=settings.DREAM_DATES
            ),
            has_room=has_room,
        )
    )


def _settled(verdicts: Sequence[Verdict], results: Sequence[Result]) -> Iterator[Verdict]:
    """With what became of the operations that cite a candidate."""
    citing: dict[str, list[Result]] = {}
    for result in results:
        for ref in result.operation.sources:
            citing.setdefault(ref, []).append(result)
    full = {one.id for result in results if result.why is Why.ROOM for one in result.gone}
    for verdict in verdicts:
        refs = [mention.ref for mention in verdict.candidate.mentions]
        found = [result for ref in refs for result in citing.get(ref, ())]
        yield _as_told(verdict, found, full)


def _as_told(verdict: Verdict, found: Sequence[Result], full: set[str]) -> Verdict:
    if verdict.verdict != "promoted":
        return verdict
    if not found:
        return verdict.changed("kept", UNTAKEN)
    # A line may also be why another one leaves: that adds nothing of its own.
    found = [one for one in found if one.operation.does is not Does.RETIRE] or found
    applied = [one for one in found if one.is_applied]
    if applied:
        has_room = any(one.new is None or one.new.id not in full for one in applied)
        return verdict if has_room else verdict.changed("kept", "full")
    first = found[0]
    code = first.code or str(first.waits)
    limit = first.values.get("limit")
    number = limit if isinstance(limit, int) else None
    return verdict.changed("kept" if code in _CAN_CHANGE else "rejected", code, number)
