"""What was said of a dream, a wish, a joke, a lie or a limit is no fact without it; and what was
said plainly, or is told with it, stands."""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from memoryweb.dreaming.decisions import decide, living_after
from memoryweb.dreaming.operations import (
    CitableLine,
    LivingStatement,
    Material,
    OperationAnswer,
    Utterance,
)
from memoryweb.extraction.findings import ExtractionAnswer, from_answer
from memoryweb.language.extraction_rules import claim_of
from memoryweb.memory.conversations import Window
from memoryweb.memory.models import Message
from tests.dreaming.notes import OWN
from tests.tables import every_row

BEFORE, THEN = (datetime(2031, 3, day, 12, tzinfo=UTC) for day in (1, 9))


@dataclass(frozen=True)
class Row:
    op: str
    olds: tuple[str, ...]
    said: tuple[str, ...]
    answer: str

    def __str__(self) -> str:
        return f"{self.op}-{' '.join(self.said)}"


def _rows(name: str) -> list[Row]:
    lines = (Path(__file__).parent / name).read_text(encoding="utf-8").split("\n")
    cells = [line.split("|") for line in lines if line and not line.startswith("#")]
    return [Row(op.strip(), _parts(olds), _parts(said), it.strip()) for op, olds, said, it in cells]


def _parts(cell: str) -> tuple[str, ...]:
    return tuple(one.strip() for one in cell.split("//") if one.strip())


def _parted(rows: list[Row]) -> tuple[list[Row], list[Row]]:
    """What is known to be missed has a `?`."""
    missed = [replace(row, op=row.op.rstrip("?")) for row in rows if row.op.endswith("?")]
    return [row for row in rows if not row.op.endswith("?")], missed


TWISTED, TWISTED_UNSEEN = _parted(_rows("twisted.txt"))
STRAIGHT, STRAIGHT_REFUSED = _parted(_rows("straight.txt"))


def test_the_tables_are_large() -> None:
    assert len(TWISTED) >= 430
    assert len(STRAIGHT) >= 190
    assert len(TWISTED_UNSEEN) <= 7
    assert len(STRAIGHT_REFUSED) <= 9


@every_row(TWISTED)
def test_what_is_twisted_does_no_harm(row: Row) -> None:
    _check_harmless(row)


@every_row(STRAIGHT)
def test_what_is_straight_is_followed(row: Row) -> None:
    _check_followed(row)


@every_row(TWISTED_UNSEEN)
def test_what_is_known_to_be_missed_is(row: Row) -> None:
    """No plain rule tells it; a miss that is mended moves to the others."""
    with pytest.raises(AssertionError):
        _check_harmless(row)


@every_row(STRAIGHT_REFUSED)
def test_what_is_known_to_be_refused_is(row: Row) -> None:
    with pytest.raises(AssertionError):
        _check_followed(row)


def _check_harmless(row: Row) -> None:
    if row.op == "line":
        assert _extracted(row) == []
        return
    after = _after_a_night(row)
    assert set(row.olds) <= after
    assert row.answer not in after - set(row.olds)


def _check_followed(row: Row) -> None:
    if row.op == "line":
        assert _extracted(row) == [row.answer]
        return
    after = _after_a_night(row)
    assert not (set(row.olds) - {row.answer}) & after
    assert row.op == "retire" or row.answer in after


def _after_a_night(row: Row) -> set[str]:
    living = tuple(
        LivingStatement(f"s{n}", text, claim_of(text), Utterance(BEFORE, "", OWN, is_word=True))
        for n, text in enumerate(row.olds)
    )
    by, day = Utterance(THEN, "", OWN, is_word=True), THEN.date()
    said = tuple(
        CitableLine(f"n{n}", text, by, claim=claim_of(text, day)) for n, text in enumerate(row.said)
    )
    there = Material(date(2031, 3, 10), living, said, names=frozenset({"Mara"}))
    is_retired = row.op == "retire"
    made = OperationAnswer(
        op=row.op,
        text="" if is_retired else row.answer,
        old=tuple(one.id for one in living),
        sources=() if row.op == "merge" else tuple(one.ref for one in said),
        why=row.answer if is_retired else "superseded",
    )
    return {one.text for one in living_after(there, decide(there, [made.operation]))}


def _extracted(row: Row) -> list[str]:
    turns, texts = [], {}
    for pk, said in enumerate(row.said, start=1):
        name, text = said[1:].split(" ", 1) if said.startswith("@") else ("Mara", said)
        role = "user" if name else "assistant"
        turns.append(Message(pk=pk, external_id=f"m{pk}", role=role, name=name, timestamp=THEN))
        texts[pk] = text
    line = {"text": row.answer, "messageIds": [turn.external_id for turn in turns]}
    answer = ExtractionAnswer.model_validate(
        {"should_update": True, "reason": "News.", "lines": [line]}
    )
    found = from_answer(answer, Window(1, len(turns), tuple(turns), texts), owner="Mara")
    return [one.text for one in found.lines]
