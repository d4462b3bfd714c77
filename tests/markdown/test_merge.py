from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from memoryweb.markdown.merge import Kind, brought_together, merge
from tests.pace import assert_linear

lines = st.lists(st.sampled_from(["", "- tea", "- cake", "# Day", "- rain", "x"]), max_size=8)
texts = lines.map("\n".join)
anything = st.text(alphabet="ab\n", max_size=12)


def test_changes_in_two_places_come_together() -> None:
    both = brought_together("a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\n")
    assert both == ("A\nb\nc\nD\n",) * 2


def test_a_line_that_both_changed_is_all_that_the_two_texts_differ_in() -> None:
    base, theirs, mine = "a\nb\nc\nd\ne\n", "A\nb\ntheirs\nd\ne\n", "a\nb\nmine\nd\nE\n"
    (hunk,) = (one for one in merge(base, theirs, mine) if one.is_rivalry)
    assert (hunk.base, hunk.theirs, hunk.mine) == (("c",), ("theirs",), ("mine",))
    both = brought_together(base, theirs, mine)
    assert both == ("A\nb\ntheirs\nd\nE\n", "A\nb\nmine\nd\nE\n")


def test_neighbouring_lines_do_not_overlap() -> None:
    both = brought_together("a\nb\nc", "A\nB\nc", "a\nmine\nC")
    assert both == ("A\nB\nC", "A\nmine\nC")


def test_what_both_put_in_at_one_place_stays() -> None:
    both = brought_together("a\nb\n", "a\nb\ntheirs\n", "a\nb\nmine\n")
    assert both == ("a\nb\ntheirs\nmine\n",) * 2
    assert brought_together("a\n", "a\ntheirs", "a\nmine") == ("a\ntheirs\nmine",) * 2


def test_both_is_what_both_did_and_not_what_one_of_them_left_alone() -> None:
    (hunk,) = merge("- ships Fridays", "- ships Thursdays", "- ships Fridays\n- new of mine")
    assert hunk.merged == ("- ships Thursdays", "- new of mine")


def test_a_line_that_one_removed_and_the_other_changed_is_a_conflict() -> None:
    theirs, mine = "a\nc", "a\nB\nc"
    assert brought_together("a\nb\nc", theirs, mine) == (theirs, mine)


def test_without_an_ancestor_no_line_is_taken_away() -> None:
    theirs = "a\ntheirs\nb\nc"
    assert brought_together(None, theirs, "a\nb\nmine\nc") == (theirs, "a\ntheirs\nb\nmine\nc")


@given(texts | anything, texts | anything)
def test_a_side_that_changed_nothing_gives_way(base: str, other: str) -> None:
    for two in ((base, other), (other, base)):
        assert brought_together(base, *two) == (other, other)


@given(texts, texts)
def test_the_same_change_on_both_sides_is_clean(base: str, other: str) -> None:
    assert brought_together(base, other, other) == (other, other)


@given(texts, texts, texts)
def test_every_hunk_is_a_stretch_of_each_text(base: str, theirs: str, mine: str) -> None:
    hunks = merge(base, theirs, mine)
    for text, side in ((base, "base"), (theirs, "theirs"), (mine, "mine")):
        joined = [line for hunk in hunks for line in getattr(hunk, side)]
        assert joined == text.split("\n")


@given(texts, texts, texts)
def test_each_text_has_all_of_its_lines_in_conflicts(base: str, theirs: str, mine: str) -> None:
    rivalries = [hunk for hunk in merge(base, theirs, mine) if hunk.is_rivalry]
    for side, whole in zip(("theirs", "mine"), brought_together(base, theirs, mine), strict=True):
        put_in = Counter[str]()
        for hunk in rivalries:
            put_in += Counter(getattr(hunk, side)) - Counter(hunk.base)
        assert not put_in - Counter(whole.split("\n"))


@given(st.none() | texts, texts, texts)
def test_what_a_side_put_in_never_vanishes_without_a_choice(
    base: str | None, theirs: str, mine: str
) -> None:
    hunks = merge(base, theirs, mine)
    put_in = Counter[str]()
    for hunk in hunks:
        if hunk.kind != Kind.SAME:
            put_in |= Counter(hunk.theirs) - Counter(hunk.base)
            put_in |= Counter(hunk.mine) - Counter(hunk.base)
    assert not put_in - Counter(line for hunk in hunks for line in hunk.merged)


def test_texts_that_hardly_agree_take_the_time_of_their_length() -> None:
    def counted(lines: int) -> tuple[str, str, str]:
        base, theirs, mine = (
            "\n".join(f"- {number % again}" for number in range(lines)) for again in (97, 89, lines)
        )
        return base, theirs, mine

    def bring_together(three: tuple[str, str, str]) -> None:
        _theirs, mine = brought_together(*three)
        assert mine.endswith(three[2][-100:])

    assert_linear(bring_together, counted, least=16_000)


def test_one_line_again_and_again_takes_the_time_of_its_length() -> None:
    def bring_together(base: str) -> None:
        both = brought_together(base, base + "theirs\n", "mine\n" + base)
        assert both == ("mine\n" + base + "theirs\n",) * 2

    assert_linear(bring_together, lambda lines: "x\n" * lines)
