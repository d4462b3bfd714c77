"""The sample sets hold what is judged by them, and the judge tells apart what they ask."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from scripts import sample_judge, sample_sets
from scripts.sample_sets import Item, items, names, padded

CHANGE = {
    "id": "one",
    "lang": "en",
    "before": [{"at": "2026-03-02T18:20:00Z", "text": "I live in Leeds with two cats."}],
    "between": [],
    "change": [{"at": "2026-05-11T07:45:00Z", "text": "Bye, Leeds. We moved to Porto."}],
    "new": ["Porto"],
    "keep": [["two cats"]],
    "ended_alone": ["Leeds"],
}
BEFORE = ["I live in Leeds with two cats."]
MOVED = "We moved to Porto."


def _item(row: Mapping[str, Any]) -> Item:
    return sample_sets._change(row)


@pytest.mark.parametrize("name", names("changes"))
def test_a_change_names_words_that_were_said(name: str) -> None:
    for item in items(name):
        before, later = (_text(item, part) for part in ("before", "later"))
        op = item.row["op"]
        assert op["words"] in item.said("before")[op["old"]].content, item.id
        assert all(text in before for group in item.keep for text in group), item.id
        assert all(text.casefold() in later for text in item.row["new"]), item.id
        assert op["source"] < len(item.said("later")), item.id


@pytest.mark.parametrize("name", names("pairs"))
def test_a_look_alike_keeps_what_was_said(name: str) -> None:
    for item in items(name):
        said = " ".join(one.content.casefold() for one in item.person.messages)
        assert all(text in said for group in item.keep for text in group), item.id


@pytest.mark.parametrize("name", names("everyday,hardpairs"))
def test_others_are_read_in_order(name: str) -> None:
    found = list(items(name))
    assert len({one.id for one in found}) == len(found)
    assert all(one.person.messages and one.until >= one.person.messages[-1].day for one in found)


def test_chats_of_one_hour_are_one_and_what_is_said_on_one_day_has_no_night_between() -> None:
    soon = {**CHANGE, "change": [{"at": "2026-03-02T18:23:00Z", "text": "No, in Porto."}]}
    item = _item(soon)
    assert (item.before, len(item.later), len(item.later[0])) == ((), 1, 2)

    item = _item(CHANGE)
    assert [len(item.before), len(item.later)] == [1, 1]
    assert len(padded(item).later[0]) == 7


def test_sets_are_chosen_by_their_names() -> None:
    assert names("changes.en.report") == ["changes.en.report"]
    assert len(names("changes")) == 9
    assert names("silence,forget.fit") == ["forget.fit", "silence.report"]
    assert {"hardpairs.de", "everyday.report"} <= set(names())


@pytest.mark.parametrize(
    ("after", "asked", "counts"),
    [
        (["I have two cats.", MOVED], [], {"whole": 1}),
        ([f"{BEFORE[0]} (until 2026-05-11: live in Leeds) (2026-03-02)", MOVED], [], {"whole": 1}),
        ([f"{BEFORE[0]} <!-- until 2026-05-11: live in Leeds -->", MOVED], [], {"whole": 1}),
        (["I have two cats.", "Bye, Leeds.", MOVED], [], {"whole": 1}),
        ([*BEFORE, MOVED], [], {"old stands": 1}),
        ([*BEFORE, MOVED], [*BEFORE, MOVED], {"old stands": 1, "asked": 1}),
        ([*BEFORE, MOVED], ["I like tea."], {"old stands": 1}),
        ([MOVED], [], {"lost": 1}),
        (["I have two cats."], [], {"new lost": 1}),
    ],
)
def test_a_change_is_whole_when_the_old_ended_the_new_is_there_and_all_else_stands(
    after: list[str], asked: list[str], counts: dict[str, int]
) -> None:
    assert sample_judge.change(_item(CHANGE), BEFORE, after, asked) == counts


@pytest.mark.parametrize(
    ("before", "after", "asked", "counts"),
    [
        (BEFORE, BEFORE, [], {"stands": 1}),
        (BEFORE, [], [], {"ended": 1}),
        (BEFORE, [f"{BEFORE[0]} (until 2026-05-11: with two cats)"], [], {"ended": 1}),
        (BEFORE, BEFORE, BEFORE, {"asked": 1}),
        ([], [], [], {"not kept": 1}),
    ],
)
def test_a_look_alike_ends_nothing(
    before: list[str], after: list[str], asked: list[str], counts: dict[str, int]
) -> None:
    assert sample_judge.pair(_item(CHANGE), before, after, asked) == counts


def test_a_situation_counts_facts() -> None:
    row = {"hold": [["Porto"], ["tea", "milk"]], "over": [["Leeds"]], "not_hold": [["king"]]}
    item = _item({**CHANGE, **row})
    after = ["In Porto, not with the king.", "Tea.", "Leeds (until 2026-05-11: Leeds)"]
    assert sample_judge.situation(item, after) == {"right": 1, "missing": 1, "false": 1}
    assert sample_judge.situation(item, ["Tea with milk in Leeds"])["stale"] == 1


@pytest.mark.parametrize(
    ("is_same", "first", "both", "noted", "found"),
    [
        (False, "a", "ab", True, "two"),
        (False, "a", "b", True, "wrongly merged"),
        (False, "a", "a", True, "wrongly merged"),
        (False, "a", "a", False, "not kept"),
        (False, "", "b", True, "not kept"),
        (True, "a", "ab", True, "missed"),
        (True, "a", "a", True, "one"),
        (True, "a", "b", True, "one"),
    ],
)
def test_two_sentences_are_one_statement_or_two(
    is_same: bool, first: Sequence[str], both: Sequence[str], noted: bool, found: str
) -> None:
    assert sample_judge.two(is_same, first, both, noted=noted) == Counter({found: 1})


def _text(item: Item, part: str) -> str:
    return " ".join(one.content.casefold() for one in item.said(part))
