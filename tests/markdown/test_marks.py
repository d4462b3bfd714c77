"""Marks at the end of a line: what of its sentence holds no longer."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryweb.language.normal_form import normalise
from memoryweb.markdown.marks import Ended, can_mark, escaped, living, marked, part, told, without

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
