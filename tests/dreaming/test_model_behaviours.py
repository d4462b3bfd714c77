"""A model that lies takes nothing true away and brings nothing unsaid; one that works honestly is
followed."""

from collections.abc import Sequence
from datetime import UTC, date, datetime

import pytest

from memoryweb.dreaming.decisions import decide, living_after
from memoryweb.dreaming.models import Operation as Told
from memoryweb.dreaming.operations import (
    CitableLine,
    LivingStatement,
    Material,
    Operation,
    OperationAnswer,
    Result,
    Utterance,
)
from memoryweb.language.extraction_rules import claim_of
from tests.dreaming.model_behaviours import HONEST, HOSTILE, MEMORY, Case
from tests.dreaming.nights import answer, dream, memory, note, text_of
from tests.dreaming.notes import OWN
from tests.fakes import ModelServer
from tests.tables import every_row
from tests.world import World

OWN_WORD = {
    day: Utterance(datetime(2031, 3, day, 12, tzinfo=UTC), "", OWN, is_word=True) for day in (1, 9)
}


def material(case: Case, memory: Sequence[str] = MEMORY) -> Material:
    living = tuple(
        LivingStatement(f"s{n}", text, claim_of(text), OWN_WORD[1])
        for n, text in enumerate(memory, start=1)
    )
    said = tuple(
        CitableLine(f"n{n}", text, OWN_WORD[9], claim=claim_of(text, date(2031, 3, 9)))
        for n, text in enumerate(case.notes, start=1)
    )
    return Material(date(2031, 3, 10), living, said, names=frozenset({"Mara"}))


def operation(case: Case) -> Operation:
    return OperationAnswer.model_validate(case.answer).operation


def night(case: Case, *operations: Operation) -> tuple[set[str], Result | None]:
    there = material(case)
    results = decide(there, operations)
    return {one.text for one in living_after(there, results)}, next(iter(results), None)


def test_the_sets_are_large() -> None:
    assert len(HOSTILE) >= 90
    assert len(HONEST) >= 30


@every_row(HOSTILE)
def test_a_lie_takes_nothing_away_and_brings_nothing_unsaid(case: Case) -> None:
    quiet, _ = night(case)
    after, result = night(case, operation(case))
    assert quiet - after == set()
    assert after - quiet <= set(case.notes)
    assert result is not None
    assert case.text in case.notes or result.code


@every_row(HONEST)
def test_honest_work_is_done(case: Case) -> None:
    after, result = night(case, operation(case))
    assert result is not None
    assert (result.code, result.waits) == ("", None)
    assert case.text in after or not case.text
    gone = {MEMORY[n] for n in case.old}
    assert not gone & after


def _whole_run(world: World, model_server: ModelServer, case: Case) -> tuple[set[str], set[str]]:
    """Lines of MEMORY.md after a night of that answer, and what a quiet night leaves."""
    memory(world, None, "# Memory\n\n" + "".join(f"- {text}\n" for text in MEMORY))
    note(world, None, date(2031, 3, 9), *case.notes)
    model_server.answer(answer(case.answer))
    run = dream(world, None, date(2031, 3, 9))
    assert run.status in {"succeeded", "no_change"}
    there = text_of(world, None).split("\n")
    codes = set(Told.objects.filter(report__run=run).values_list("code", flat=True))
    return {line[2:] for line in there if line.startswith("- ")}, codes


_FEW = ("cancelled", "never-mixed", "add-turned", "merge-cancelled", "expired-ahead", "zh-not")
_SLOW = [
    pytest.param(case, marks=() if case.name in _FEW else pytest.mark.slow, id=case.name)
    for case in HOSTILE
]


@pytest.mark.parametrize("case", _SLOW)
def test_a_lie_changes_nothing_in_a_whole_run(
    world: World, model_server: ModelServer, case: Case
) -> None:
    after, codes = _whole_run(world, model_server, case)
    assert set(MEMORY) <= after
    assert after - set(MEMORY) <= set(case.notes)
    assert codes - {""} or after - set(MEMORY) or not model_server.requests
