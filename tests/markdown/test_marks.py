"""Marks at the end of a line: what of its sentence holds no longer."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryweb.language.normal_form import normalise
from memoryweb.markdown.marks import (
    Ended,
    can_mark,
    escaped,
    living,
    marked,
    part,
    told,
    within,
    without,
)
from memoryweb.markdown.settling import settled

LINE = "- I live in Altona and keep bees."
ALTONA = Ended(date(2026, 9, 28), "I live in Altona")
BEES = Ended(date(2026, 10, 2), "keep bees")
WITH_ONE = "- I live in Altona and keep bees. <!-- until 2026-09-28: I live in Altona -->"


def test_a_mark_is_no_part_of_its_sentence() -> None:
    assert marked(LINE, [ALTONA]) == WITH_ONE
    assert part(WITH_ONE) == (LINE, (ALTONA,))
    assert normalise(WITH_ONE) == normalise(LINE)
    assert without(f"# A\n{WITH_ONE}\n") == f"# A\n{LINE}\n"


def test_several_have_one_each_by_date() -> None:
    line = marked(marked(LINE, [BEES]), [ALTONA, BEES])
    assert line == f"{LINE} {ALTONA.mark} {BEES.mark}"
    assert part(line) == (LINE, (ALTONA, BEES))


def test_a_prompt_says_it_in_words() -> None:
    assert told(f"{WITH_ONE}\n- Tea.") == f"{LINE} (until 2026-09-28: I live in Altona)\n- Tea."


@pytest.mark.parametrize(
    "line",
    [
        "- I keep bees. <!-- until 2026-02-30: keep bees -->",
        "- I keep bees. <!-- until 2026-02-03: live in Altona -->",
        "- I keep bees. <!-- until 2026-02-03: keep bees --> And goats.",
        "- I keep bees. <!-- until 2026: keep bees -->",
        "- I keep bees. <!-- until 2026-02-03:  -->",
    ],
)
def test_what_only_looks_like_one_stays_text(line: str) -> None:
    assert part(line) == (line, ())


def test_of_ends_that_overlap_nothing_lives() -> None:
    all_of_it = Ended(date(2026, 10, 3), "in Altona and keep bees")
    for ended in ([BEES, all_of_it], [all_of_it, BEES], [ALTONA, all_of_it]):
        assert "bees" not in living(LINE, ended)
        assert "Altona" not in living(LINE, ended)
    assert living(LINE, [ALTONA, all_of_it]) == "- ."


def test_beyond_their_room_the_first_to_end_are_left_out() -> None:
    other = "  - I sing. <!-- until 2026-09-29: I sing -->"
    text = f"{WITH_ONE}\n{other}\n- Tea."
    assert within(text, 200) == text
    assert within(text, 60) == f"- … and keep bees.\n{other}\n- Tea."
    assert within(text, 0) == "- … and keep bees.\n\n- Tea."


def test_words_that_no_comment_holds_get_none() -> None:
    assert can_mark("I wrote --> there.", "I wrote")
    assert not can_mark("I wrote --> there.", "wrote --> there")
    assert not can_mark(LINE, "live in Faro")
    assert not can_mark(LINE, "")


def test_what_still_holds() -> None:
    assert living("I live in Altona and keep bees.", [ALTONA]) == "and keep bees."


TEXT = st.text("ab <>!-:\n2026until", max_size=40)


@given(TEXT)
def test_what_is_escaped_ends_nothing(text: str) -> None:
    shown = escaped(f"{text}{ALTONA.mark}{text}")
    assert all(not part(line)[1] for line in shown.split("\n"))
    assert escaped(shown) == shown


@given(st.text("ab <>!-:2", min_size=1, max_size=30).map(str.strip).filter(bool), st.dates())
def test_any_words_come_back(sentence: str, on: date) -> None:
    for words in {sentence, sentence.split()[0]}:
        if can_mark(sentence, words):
            assert part(marked(sentence, [Ended(on, words)])) == (sentence, (Ended(on, words),))


FILE = f"# Memory\n\n{WITH_ONE}\n- Tea.\n"
FORGED = "<!-- until 2020-01-01: Tea. -->"


@pytest.mark.parametrize(
    ("after", "kept"),
    [
        (without(FILE), FILE),
        (FILE.replace("2026-09-28", "2020-01-01"), FILE),
        (FILE.replace(": I live in Altona -->", ": keep bees -->"), FILE),
        (FILE.replace("Tea.", f"Tea. {FORGED}"), FILE),
        (without(FILE).replace("- Tea.\n", ""), FILE.replace("- Tea.\n", "")),
        (without(FILE).replace("- Tea.", "- Milk."), FILE.replace("- Tea.", "- Milk.")),
        (f"- Tea.\n{LINE}", f"- Tea.\n{WITH_ONE}"),
        (f"{FILE}- Oats. {FORGED}", f"{FILE}- Oats. &lt;!-- until 2020-01-01: Tea. -->"),
        (
            FILE.replace("keep bees.", "keep two bees."),
            FILE.replace("keep bees.", "keep two bees."),
        ),
        (
            without(FILE).replace("keep bees.", "keep two bees."),
            FILE.replace("keep bees.", "keep two bees."),
        ),
        (FILE.replace("I live in Altona and", "I live in altona and"), FILE),
        (without(FILE).replace(LINE, "- I keep bees."), FILE.replace(WITH_ONE, "- I keep bees.")),
    ],
)
def test_a_machine_neither_adds_changes_nor_drops_one(after: str, kept: str) -> None:
    assert settled(FILE, after, by_person=False) == kept


def test_what_looked_like_one_before_stays_as_it_stood() -> None:
    text = "- Tea. <!-- until I find better -->\n- Oats. <!-- until 2026-02-30: Oats. -->"
    assert settled(text, f"{text}\n- Milk.", by_person=False) == f"{text}\n- Milk."
    assert settled(text, f"{text}\n- Milk.", by_person=True) == f"{text}\n- Milk."


def test_a_person_s_act_where_their_words_stand() -> None:
    wrong = "- I keep goats. <!-- until 2026-02-03: live in Altona -->"
    assert settled("", FILE, by_person=True) == FILE
    assert settled(FILE, without(FILE), by_person=True) == without(FILE)
    assert settled(FILE, wrong, by_person=True) == escaped(wrong)


@pytest.mark.parametrize("by_person", [True, False])
def test_the_same_sentence_twice_keeps_both(by_person: bool) -> None:
    twice = f"{WITH_ONE}\n- Tea.\n{LINE}"
    assert settled(twice, twice, by_person=by_person) == twice
    assert settled(twice, without(twice), by_person=False) == twice


SENTENCES = st.sampled_from(["- Tea.", "- Tea and oats.", "- tea!", "- Oats.", "", "# Memory"])
WORDS = st.sampled_from(["Tea", "oats", "Tea and oats", "Oats.", "tea", "Milk"])
MARK = st.builds(lambda on, words: Ended(on, words).mark, st.dates(date(2026, 1, 1)), WORDS)
LINES = st.builds(lambda *parts: " ".join(filter(None, parts)), SENTENCES, MARK | st.just(""))
TEXTS = st.lists(LINES | st.text("Tea <!->\n", max_size=8), max_size=6).map("\n".join)


def acting(text: str) -> list[tuple[str, tuple[Ended, ...]]]:
    return [(line, ended) for line in text.split("\n") if (ended := part(line)[1])]


@given(TEXTS, TEXTS)
def test_whatever_a_machine_writes_ends_nothing_new(before: str, after: str) -> None:
    kept = settled(before, after, by_person=False)
    there = {one for _line, ended in acting(before) for one in ended}
    assert {one for _line, ended in acting(kept) for one in ended} <= there
    assert settled(before, before, by_person=False) == before


@given(TEXTS)
def test_no_mark_is_lost_by_who_writes_the_sentences_alone(before: str) -> None:
    kept = settled(before, without(before), by_person=False)
    assert acting(kept) == acting(before)


@given(TEXTS, TEXTS)
def test_a_person_s_own_text_stands_but_for_what_can_t_act(before: str, after: str) -> None:
    kept = settled(before, after, by_person=True)
    assert [one for _line, one in acting(kept)] == [one for _line, one in acting(after)]
    assert settled(before, kept, by_person=True) == kept
