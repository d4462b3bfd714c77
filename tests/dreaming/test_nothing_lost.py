"""Whatever is said in whatever order: what nobody contradicted stands, and what ended is marked."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from memoryweb.dreaming.decisions import decide, living_after
from memoryweb.dreaming.operations import (
    CitableLine,
    Correction,
    Does,
    LivingStatement,
    Material,
    Operation,
    Utterance,
)
from memoryweb.language.extraction_rules import claim_of
from tests.dreaming.notes import OWN

FIRST = date(2031, 3, 1)
REST = "I am allergic to peanuts"
HOMES = ("I live in Leeds", "I live in Porto", "I live in Lund")
MOVES = {
    "We moved to Leeds.": HOMES[0],
    "We moved to Porto.": HOMES[1],
    "I moved to Lund.": HOMES[2],
}
SAID = (*(f"{home}, and {REST}." for home in HOMES), *MOVES, f"{REST}.")
ACTS = st.lists(
    st.one_of(
        st.sampled_from(SAID),
        st.sampled_from(["dream", "confirm", "undo"]),
    ),
    max_size=8,
)


class Life:
    """Of one who says something each day, and whose memory is dreamt or mended now and then."""

    def __init__(self) -> None:
        self.day = FIRST
        self.living: tuple[LivingStatement, ...] = ()
        self.before: tuple[LivingStatement, ...] = ()
        self.said: list[CitableLine] = []
        self.left: list[Correction] = []

    def act(self, what: str) -> None:
        self.day += timedelta(days=1)
        if what == "dream":
            self.dream()
        elif what == "confirm":
            self.living = tuple(replace(one, by=self._now()) for one in self.living)
        elif what == "undo":
            self.living = tuple(replace(one, by=self._now()) for one in self.before)
        else:
            claim = claim_of(what, self.day)
            self.said.append(CitableLine(f"n{len(self.said)}", what, self._now(), claim=claim))

    def dream(self) -> bool:
        """Whether anything changed."""
        notes = tuple(one for one in self.said if one.by.said_at)
        there = Material(self.day, self.living, notes, tuple(self.left))
        adds = [Operation(Does.ADD, one.text, sources=(one.ref,)) for one in notes]
        results = decide(there, adds)
        self.before, after = self.living, living_after(there, results)
        gone = (one for it in results if it.is_applied for one in it.gone)
        at = datetime.combine(self.day, datetime.min.time(), UTC)
        self.left += [Correction(one.text, one.claim, at, is_persons=False) for one in gone]
        made = {it.new.id for it in results if it.new is not None}
        named = {one.id: f"{one.id} {self.day}" for one in after if one.id in made}
        self.living = tuple(replace(one, id=named.get(one.id, one.id)) for one in after)
        return any(one.is_applied for one in results)

    def _now(self) -> Utterance:
        at = datetime.combine(self.day, datetime.min.time(), UTC) + timedelta(hours=9)
        return Utterance(at, "", OWN, is_word=True)


@given(ACTS)
@settings(max_examples=60, deadline=None)
def test_what_nobody_contradicts_is_never_lost(acts: list[str]) -> None:
    life = Life()
    for what in acts:
        life.act(what)
    life.act("dream")
    is_told = any(REST in one.text for one in life.said)
    assert any(REST in one.living for one in life.living) is is_told


@given(ACTS)
@settings(max_examples=60, deadline=None)
def test_at_most_one_home_stands_unmarked(acts: list[str]) -> None:
    life = Life()
    for what in (one for one in acts if one not in {"confirm", "undo"}):
        life.act(what)
    life.act("dream")
    homes = {
        home
        for one in life.living
        for move, home in MOVES.items()
        if home in one.living or move.rstrip(".") in one.living
    }
    told = [MOVES.get(one.text) or one.text.split(",")[0] for one in life.said]
    told = [one for one in told if one in HOMES]
    assert homes == set(told[-1:])


@given(ACTS)
@settings(max_examples=60, deadline=None)
def test_dreaming_twice_without_news_changes_nothing(acts: list[str]) -> None:
    life = Life()
    for what in acts:
        life.act(what)
    life.dream()
    before = life.living
    assert not life.dream()
    assert life.living == before
