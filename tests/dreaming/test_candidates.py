import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryweb.dreaming.candidates import Mention, Recall, as_line, gather
from memoryweb.language.extraction_rules import Kind
from memoryweb.language.statement_comparison import fingerprint
from tests.dreaming.notes import NIGHT, mention
from tests.pace import assert_linear

SENTENCES = [
    "- 09:10 Ines plays the violin",
    "- 10:00 Ines plays the violin in a quartet",
    "- Ines plays the violin.",
    "Tom bakes bread",
    "- 11:00 Tom bakes bread with rye flour",
    "- 12:00 Tom bakes bread with nut flour",
    "- Ships on Fridays",
    "小林喜欢绿茶",
]
mentions = st.lists(
    st.builds(
        mention,
        st.sampled_from(SENTENCES),
        st.integers(1, 9),
        st.integers(1, 20),
        durable=st.booleans(),
        category=st.sampled_from(["", "work", "event"]),
    ),
    max_size=12,
)


def test_what_says_the_same_becomes_one_candidate() -> None:
    found = gather([mention("- 09:10 Tom bakes bread", 5), mention("Tom bakes bread!", 8)], {})
    assert [one.text for one in found] == ["Tom bakes bread!"]
    assert [place.date.day for place in found[0].mentions] == [5, 8]


def test_the_fullest_wording_takes_in_the_shorter_ones() -> None:
    found = gather([mention(SENTENCES[1], 4), mention(SENTENCES[0], 8)], {})
    assert [one.text for one in found] == ["Ines plays the violin in a quartet"]
    assert found[0].days == 2


def test_two_fuller_wordings_that_differ_stay_apart() -> None:
    found = gather([mention(text, line=n) for n, text in enumerate(SENTENCES[3:6])], {})
    assert sorted(one.text for one in found) == [
        "Tom bakes bread with nut flour",
        "Tom bakes bread with rye flour",
    ]


def test_headings_comments_and_empty_bullets_are_no_candidates() -> None:
    texts = ["# 2026-03-09", "## Plans", "- 10:00 ", "---", "<!-- pinned -->", "- the", ""]
    assert gather([mention(text, line=n) for n, text in enumerate(texts)], {}) == []


def test_the_key_is_the_fingerprint_of_the_text() -> None:
    (found,) = gather([mention("- 09:10 Tom bakes bread")], {})
    assert found.key == fingerprint("Tom bakes bread")


def test_the_kind_comes_from_the_place_else_from_the_words() -> None:
    marked, unmarked = gather(
        [mention("Tom bakes bread", category="work"), mention("Ines has two sisters", line=4)], {}
    )
    assert {marked.kind, unmarked.kind} == {Kind.IDENTITY, Kind.RELATION}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("- 09:10 Correction: we ship on Mondays", "We ship on Mondays"),
        ("Please remember that Tom bakes bread", "Tom bakes bread"),
        ("- # shouting <!-- /pinned --> here", "shouting here"),
        ("Tom\nbakes\n bread", "Tom bakes bread"),
        ("**Invoices**: billing@shop.example", "**Invoices**: billing@shop.example"),
        ("订正一下", "订正一下"),
    ],
)
def test_a_candidate_reads_like_a_line_of_memory(text: str, line: str) -> None:
    assert as_line(text) == line


@given(mentions, st.randoms())
def test_the_order_of_the_notes_does_not_matter(
    places: list[Mention], chance: random.Random
) -> None:
    shuffled = list(places)
    chance.shuffle(shuffled)
    assert gather(shuffled, {}) == gather(places, {})


@given(mentions)
def test_no_mention_is_lost_or_counted_twice(places: list[Mention]) -> None:
    found = [place for one in gather(places, {}) for place in one.mentions]
    assert sorted(map(repr, found)) == sorted(map(repr, set(places)))


def test_one_query_that_returned_two_places_counts_once() -> None:
    first, second = mention("Tom bakes bread", 5), mention("Tom bakes bread", 8)
    one = Recall(frozenset({("chat-1", "bread"), ("chat-2", "bread")}), NIGHT)
    two = Recall(frozenset({("chat-1", "bread"), ("chat-2", "baker")}), NIGHT)
    places = {(first.file_id, first.line): one, (second.file_id, second.line): two}
    (found,) = gather([first, second], places)
    assert (found.recall.count, found.recall.queries) == (3, 2)


def test_a_week_of_notes_is_gathered_in_the_time_of_its_length() -> None:
    names = ["Ines", "Tom", "Ann", "Raj"]
    verbs = ["bought", "painted", "sold", "mended", "found"]
    things = ["lamp", "boat", "chair", "kite", "drum", "vase", "clock"]

    def week(lines: int) -> list[Mention]:
        return [
            mention(f"- {names[n % 4]} {verbs[n % 5]} a {things[n % 7]} for {n} euros", day, n)
            for day in range(3, 10)
            for n in range(lines)
        ]

    assert len(gather(week(100), {})) == 100
    assert_linear(lambda mentions: gather(mentions, {}), week)


def test_places_that_differ_in_a_mark_alone_stand_in_one_order() -> None:
    plain, marked = mention("Tom bakes bread", durable=False), mention("Tom bakes bread")
    assert gather([plain, marked], {}) == gather([marked, plain], {})
