"""Which of a night's operations a memory test holds back. Pure."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from memoryweb.dreaming.decisions import living_after
from memoryweb.dreaming.operations import LivingStatement, Material, Result, Waits, Why, is_later
from memoryweb.memory.memory_tests import breaks, says
from memoryweb.memory.models import MemoryTest


def held_back(
    tests: Iterable[MemoryTest],
    material: Material,
    results: tuple[Result, ...],
    others: Collection[str],
) -> tuple[tuple[Result, ...], tuple[MemoryTest, ...]]:
    """The results, of which what turns a green test red waits for a person; and the tests that
    their owner's own later word, or the calendar, has overtaken. `others`: lines of the files that
    are no statements."""
    retired: list[MemoryTest] = []
    before = [*_standing(material.living), *others]
    after = [*_standing(living_after(material, results)), *others]
    for test in tests:
        culprits = _culprits(test, results, before, after)
        if any(_overtakes(test, material, results[n]) for n in culprits):
            retired.append(test)
        elif culprits:
            results = _without(results, culprits)
            after = [*_standing(living_after(material, results)), *others]
    return results, tuple(retired)


def _left(one: Result) -> Iterator[str]:
    yield from map(_now, (*one.gone, *([one.marked.was] if one.marked else [])))


def _brought(one: Result) -> Iterator[str]:
    yield from (_now(it) for it in (one.new, one.marked.now if one.marked else None) if it)


def _now(one: LivingStatement) -> str:
    return one.living if one.ended else one.text


def _standing(living: Iterable[LivingStatement]) -> list[str]:
    """What prompts may hold of it."""
    return [_now(one) for one in living if not one.is_flagged]


def _culprits(
    test: MemoryTest, results: Iterable[Result], before: Iterable[str], after: Iterable[str]
) -> list[int]:
    """The places of the operations that turn it red; none where it was red before."""
    applied = [(n, one) for n, one in enumerate(results) if one.is_applied]
    lose = [n for n, one in applied if any(says(text, test.must) for text in _left(one))]
    break_it = [n for n, one in applied if any(breaks(test, text) for text in _brought(one))]
    if not (lose or break_it) or any(breaks(test, text) for text in before):
        return []
    if test.must and not any(says(text, test.must) for text in before):
        return []
    is_lost = bool(lose) and not any(says(text, test.must) for text in after)
    return sorted({*break_it, *lose} if is_lost else break_it)


def _overtakes(test: MemoryTest, material: Material, one: Result) -> bool:
    """Its time is over, or whoever the test is for said otherwise since it was made."""
    if one.why is Why.EXPIRED and not one.new:
        return True
    speaker = "" if test.owner_id else f"user {test.made_by_id}"
    cited = {*one.operation.sources, *(one.against.sources if one.against else ())}
    return any(
        it.by.is_word and it.by.speaker == speaker and is_later(it.by.said_at, test.created_at)
        for it in (*material.said, *(one.line for one in material.living))
        if it.ref in cited
    )


def _without(results: Sequence[Result], culprits: Collection[int]) -> tuple[Result, ...]:
    """With what they stand against, and what builds on that: one change is held back whole."""
    its = (results[n].against for n in culprits)
    held = {one.id for one in its if one is not None}
    found = []
    for n, one in enumerate(results):
        olds = (*one.gone, *(it for it in (one.marked and one.marked.was, one.against) if it))
        is_built_on = any(it.id in held and it.id.startswith("new-") for it in olds)
        if one.is_applied and (
            n in culprits or is_built_on or (one.new is not None and one.new.id in held)
        ):
            held |= {one.new.id} if one.new else set()
            one = replace(one, waits=Waits.TEST)
        found.append(one)
    return tuple(found)
