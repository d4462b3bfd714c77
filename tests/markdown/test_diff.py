import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryweb.markdown.diff import Row, Span, carry, counts, side_by_side
from tests.pace import assert_linear

KNOWN = st.sampled_from(
    ["a", "b", "c", "", "- x is y", "- x is z", "## h", "金曜日に行く", " a", "a\r"]
)
LINES = st.lists(KNOWN | st.text("aä金\r\t \u200b\u2028", max_size=5), max_size=12)


def _text(spans: tuple[Span, ...]) -> str:
    return "".join(span.text for span in spans)


def _side(rows: list[Row], side: str) -> list[str]:
    if side == "old":
        return [_text(row.old) for row in rows if row.old_number is not None]
    return [_text(row.new) for row in rows if row.new_number is not None]


@given(LINES, LINES)
def test_the_rows_hold_both_texts_whole(before: list[str], after: list[str]) -> None:
    rows = side_by_side("\n".join(before), "\n".join(after), context=None)
    assert _side(rows, "old") == "\n".join(before).split("\n")
    assert _side(rows, "new") == "\n".join(after).split("\n")


@given(LINES, LINES)
def test_a_line_that_is_carried_reads_the_same(before: list[str], after: list[str]) -> None:
    for new, old in carry(before, after).same.items():
        assert after[new - 1].removesuffix("\r") == before[old - 1].removesuffix("\r")


@given(LINES, LINES)
def test_no_line_is_carried_twice(before: list[str], after: list[str]) -> None:
    carried = carry(before, after)
    sources = [*carried.same.values(), *carried.changed.values()]
    assert len(sources) == len(set(sources))


def test_a_line_that_moved_is_not_also_what_another_was_before() -> None:
    carried = carry(["- x is y", "a", "b"], ["- x is z", "b", "- x is y", "a"])
    sources = [*carried.same.values(), *carried.changed.values()]
    assert sorted(sources) == [1, 2, 3]


def test_a_moved_line_is_the_same_line() -> None:
    before = ["one", "two", "three", "four"]
    after = ["three", "one", "two", "four"]
    assert carry(before, after).same == {1: 3, 2: 1, 3: 2, 4: 4}


def test_a_changed_line_is_paired_with_what_it_was_and_its_words_are_marked() -> None:
    rows = side_by_side("- Ships on Fridays", "- Ships on Thursdays")
    (row,) = rows
    assert row.kind == "changed"
    assert [span.text for span in row.new if span.marked] == ["Thursdays"]


@given(LINES, LINES, st.integers(0, 3))
def test_applying_a_diff_gives_the_other_text(
    before: list[str], after: list[str], context: int
) -> None:
    old, new = "\n".join(before), "\n".join(after)
    rows = side_by_side(old, new, context=context)
    assert _applied(rows, old) == new
    assert _applied([_flipped(row) for row in rows], new) == old


def test_a_line_that_moved_says_where_to_and_from() -> None:
    rows = side_by_side("- moves\na\nb\nc", "a\nb\nc\n- moves", context=None)
    moved = [(row.kind, row.moved) for row in rows if row.kind != "same"]
    assert moved == [("removed", 4), ("added", 1)]


def test_a_gap_says_how_many_lines_it_hides_and_opens() -> None:
    before = "\n".join(str(n) for n in range(1, 51))
    after = before.replace("25", "changed")
    gap = side_by_side(before, after)[0]
    assert (gap.old_number, gap.new_number, gap.hidden) == (1, 1, 22)
    rows = side_by_side(before, after, opened=[1])
    assert [row.new_number for row in rows[:22]] == list(range(1, 23))


def test_unchanged_stretches_shrink_to_their_edges() -> None:
    before = "\n".join(str(n) for n in range(50))
    after = before.replace("25", "changed")
    kinds = [row.kind for row in side_by_side(before, after, context=2)]
    assert kinds == ["gap", "same", "same", "removed", "added", "same", "same", "gap"] or kinds == [
        "gap", "same", "same", "added", "removed", "same", "same", "gap"
    ]  # fmt: skip


def test_counts_are_lines_added_and_removed() -> None:
    assert counts(side_by_side("a\nb\nc", "a\nc\nd\ne")) == (2, 1)


def test_a_long_text_with_one_changed_line_is_quick_to_compare() -> None:
    before = "\n".join(f"- line {n}" for n in range(20_000))
    rows = side_by_side(before, before.replace("- line 9999\n", "- line nine\n"))
    assert len(rows) <= 8


def test_a_very_long_line_is_shown_at_once_with_what_changed_in_it() -> None:
    words = [f"word{n}" for n in range(100_000)]
    before = " ".join(words)
    after = " ".join([*words[:50_000], "other", *words[50_001:]])
    (row,) = side_by_side(before, after)
    assert [span.text for span in row.old if span.marked] == ["word50000"]
    words[10], words[90_000] = "here", "there"
    (row,) = side_by_side(before, " ".join(words))
    assert _text(row.new) == " ".join(words)


def _lines(few: int, count: int) -> list[str]:
    chance = random.Random(few)
    return [f"- line {chance.randrange(few)}" for _ in range(count)]


@pytest.mark.parametrize("few", [2, 40, 150, 8_000])
def test_time_grows_with_length_only_however_often_lines_repeat(few: int) -> None:
    """difflib alone takes minutes for a hundred kilobytes where some do."""

    def compare(lines: list[str]) -> None:
        turned = lines[::-1]
        rows = side_by_side("\n".join(lines), "\n".join(turned), context=None)
        carry(lines, turned)
        assert _side(rows, "new") == turned

    assert_linear(compare, lambda count: _lines(few, count), least=500)


def _applied(rows: Sequence[Row], text: str) -> str:
    """The other text, from the rows and what they say is the same in this one."""
    lines, out = text.split("\n"), list[str]()
    for row in rows:
        if row.old_number is not None and row.kind != "gap":
            assert lines[row.old_number - 1] == _text(row.old)
        if row.kind == "gap":
            assert row.old_number is not None
            out += lines[row.old_number - 1 : row.old_number - 1 + row.hidden]
        elif row.new_number is not None:
            out.append(_text(row.new))
    return "\n".join(out)


def _flipped(row: Row) -> Row:
    kind = {"added": "removed", "removed": "added"}.get(row.kind, row.kind)
    return replace(
        row,
        kind=kind,
        old_number=row.new_number,
        old=row.new,
        new_number=row.old_number,
        new=row.old,
    )
