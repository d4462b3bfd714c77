"""Pairs of which code can't tell whether the newer ends the older: found by words, and asked."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memoryweb.dreaming.operations import Does, LivingStatement, Operation, Result, Utterance
from memoryweb.dreaming.rivals import left_alone, possible_rivals, unproved
from memoryweb.language.extraction_rules import claim_of
from memoryweb.markdown.marks import Ended
from memoryweb.memory.models import Contradiction, Fact
from memoryweb.memory.questions import MOST
from tests.dreaming.nights import NIGHT, dream, note
from tests.world import World

TODAY = datetime(2026, 10, 2, 9, tzinfo=UTC)
Said = Callable[[str, int], LivingStatement]


def said(text: str, days_ago: int = 0, speaker: str = "") -> LivingStatement:
    by = Utterance(TODAY - timedelta(days=days_ago), speaker)
    return LivingStatement(text, text, claim_of(text), by)


def _pairs(*living: LivingStatement) -> list[tuple[str, str]]:
    return [(one.text, two.text) for one, two in possible_rivals(living, TODAY.date())]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I've been with Teo for almost six years.", "Me and Teo split up."),
        ("Unser Kater Momo bekommt Insulin.", "Momo mussten wir einschläfern lassen."),
        ("インコのピーちゃんと暮らしてます", "ピーちゃん、天国へ行きました。"),
    ],
)
def test_two_that_share_a_word_come_with_the_older_first(older: str, newer: str) -> None:
    assert _pairs(said(newer), said(older, 30)) == [(older, newer)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("My daughter Anouk is 6.", "My daughter Milo has a fever."),
        (
            "Jonas is allergic to nuts, so keep that in mind for the team dinner.",
            "The team dinner moved to 6 December.",
        ),
        ("Ines covers for me during my holiday.", "My flight to Tokyo moved to 9 December."),
        ("I have a cat called Momo.", "My second cat is called Lola."),
        ("I live in Leeds with my husband.", "Tomás lives in Budapest now."),
        ("The Tokyo office opens at 09:30.", "Price questions go to the Tokyo office."),
        ("I bake sourdough every Friday.", "Gym is on Friday now."),
        ("息子の蓮は5歳です", "息子の陸が生まれました"),
    ],
)
def test_what_there_may_be_several_of_is_no_rival(one: str, other: str) -> None:
    assert _pairs(said(one, 30), said(other)) == []


def test_only_news_of_one_speaker_about_what_few_statements_name() -> None:
    old, new = "Clover is stabled at Birchwood.", "We sold Clover on Tuesday."
    assert _pairs(said(old, 30), said(new)) == [(old, new)]
    assert _pairs(said(old), said(new)) == []  # said together
    assert _pairs(said(old, 30), said(new, speaker="bob")) == []
    assert _pairs(said(old, 90), said(new, 60)) == []
    others = [said(f"Clover likes {what}.", 40) for what in ("apples", "hay")]
    assert _pairs(said(old, 30), said(new), *others) == []


def test_a_change_that_names_no_topic_is_asked_about_where_few_can_be_meant() -> None:
    old, new = "We rent a terrace in Leeds.", "Finally unpacked in Hebden Bridge!"
    others = [said(f"I collect {what}.", 40) for what in ("stamps", "coins", "shells")]
    assert _pairs(said(old, 30), said(new)) == [(old, new)]
    assert _pairs(said(old, 30), said("Unpacked in Hebden Bridge!")) == []
    assert _pairs(said(old, 30), said(new), *others) == []


def test_what_says_the_same_is_not_asked() -> None:
    assert _pairs(said("I don't eat pork.", 30), said("I never eat pork.")) == []


def test_what_ended_a_part_of_it_is_not_asked_about_the_rest() -> None:
    old, new = "I live in Altona and keep bees in Porto.", "We moved to Porto."
    ended = (Ended(TODAY.date(), "I live in Altona"),)
    assert _pairs(replace(said(old, 60), ended=ended), said(new)) == []


def test_what_stands_alone_beside_ended_words_is_asked_after_a_month() -> None:
    def alone(text: str, days_ago: int) -> list[str]:
        on = TODAY.date() - timedelta(days=days_ago)
        one = replace(said(text, 90), ended=(Ended(on, "I live in Altona"),))
        return [older.text for older, _newer in left_alone([one], TODAY.date())]

    rest = "I live in Altona, quite loud with the trams."
    assert alone(rest, 40) == [rest]
    assert alone(rest, 20) == []
    assert alone("I live in Altona, I am allergic to peanuts.", 40) == []


def test_what_a_model_could_not_prove_is_asked_with_what_it_cited() -> None:
    old, new = said("I am a nurse.", 30), replace(said("I fly planes."), sources=("n1",))
    retire = Operation(Does.RETIRE, old=(old.id,), sources=("n1",))
    assert list(unproved([Result(retire, "unproved")], [old, new])) == [(old, new)]
    assert list(unproved([Result(retire, "unproved")], [old])) == [(old, None)]
    assert list(unproved([Result(retire, "pinned")], [old, new])) == []


def test_a_night_asks_five_at_most_and_each_once(world: World) -> None:
    owner = world.bobs_memory
    names = ("Clover", "Momo", "Lidl", "Evernote", "Octavia", "Kajutan", "Valencia")
    note(world, owner, NIGHT - timedelta(days=2), *(f"I am fond of {name}." for name in names))
    dream(world, owner, NIGHT - timedelta(days=2))
    asked_of = Contradiction.objects.filter(owner=owner)
    assert asked_of.count() == 0
    Fact.objects.filter(owner=owner).update(said_at=TODAY - timedelta(days=60))
    note(world, owner, NIGHT, *(f"I sold my part of {name} yesterday." for name in names))
    dream(world, owner)
    assert asked_of.count() == MOST
    assert {(one.is_question, one.facts.count()) for one in asked_of} == {(True, 2)}
    note(world, owner, NIGHT, "I sold my boat yesterday.")
    dream(world, owner, NIGHT + timedelta(days=1))
    assert asked_of.count() == MOST
