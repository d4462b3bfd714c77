from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from memoryweb.markdown.merge import Choice, Decision, Hunk, Kind, conflicts, merge, resolved
from tests.pace import assert_linear

lines = st.lists(st.sampled_from(["", "- tea", "- cake", "# Day", "- rain", "x"]), max_size=8)
texts = lines.map("\n".join)
anything = st.text(alphabet="ab\n", max_size=12)


def _all(hunks: list[Hunk], choice: Choice) -> str:
    return resolved(hunks, {at: Decision(choice) for at in conflicts(hunks)})


def test_changes_in_two_places_come_together() -> None:
    hunks = merge("a\nb\nc\nd\n", "A\nb\nc\nd\n", "a\nb\nc\nD\n")
    assert conflicts(hunks) == []
    assert resolved(hunks, {}) == "A\nb\nc\nD\n"


def test_a_line_that_both_changed_waits_for_a_choice() -> None:
    hunks = merge("a\nb\nc\n", "a\ntheirs\nc\n", "a\nmine\nc\n")
    (at,) = conflicts(hunks)
    assert (hunks[at].base, hunks[at].theirs, hunks[at].mine) == (("b",), ("theirs",), ("mine",))
    assert _all(hunks, Choice.THEIRS) == "a\ntheirs\nc\n"
    assert _all(hunks, Choice.MINE) == "a\nmine\nc\n"
    assert _all(hunks, Choice.BOTH) == "a\ntheirs\nmine\nc\n"
    assert _all(hunks, Choice.BOTH_MINE_FIRST) == "a\nmine\ntheirs\nc\n"
    by_hand = {at: Decision(Choice.HAND, "one\ntwo")}
    assert resolved(hunks, by_hand) == "a\none\ntwo\nc\n"


def test_both_is_what_both_did_and_not_what_one_of_them_left_alone() -> None:
    (hunk,) = merge("- ships Fridays", "- ships Thursdays", "- ships Fridays\n- new of mine")
    assert hunk.both == ("- ships Thursdays", "- new of mine")
    assert hunk.both_mine_first == ("- new of mine", "- ships Thursdays")


def test_a_conflict_emptied_by_hand_leaves_no_line() -> None:
    hunks = merge("a\nb\nc", "a\nx\nc", "a\ny\nc")
    assert resolved(hunks, {conflicts(hunks)[0]: Decision(Choice.HAND)}) == "a\nc"


def test_a_line_that_one_removed_and_the_other_changed_is_a_conflict() -> None:
    assert conflicts(merge("a\nb\nc", "a\nc", "a\nB\nc"))


def test_without_an_ancestor_no_line_is_taken_away() -> None:
    hunks = merge(None, "a\ntheirs\nb\nc", "a\nb\nmine\nc")
    assert _all(hunks, Choice.BOTH) == "a\ntheirs\nb\nmine\nc"


def test_a_hunk_knows_its_lines_on_both_sides() -> None:
    hunks = merge("a\nb\nc", "new\na\nB\nc", "a\nX\nc")
    conflict = hunks[conflicts(hunks)[0]]
    assert (conflict.theirs_at, conflict.mine_at) == (3, 2)


@given(texts | anything, texts | anything)
def test_a_side_that_changed_nothing_gives_way(base: str, other: str) -> None:
    for hunks in (merge(base, base, other), merge(base, other, base)):
        assert conflicts(hunks) == []
        assert resolved(hunks, {}) == other


@given(texts, texts)
def test_the_same_change_on_both_sides_is_clean(base: str, other: str) -> None:
    hunks = merge(base, other, other)
    assert conflicts(hunks) == []
    assert resolved(hunks, {}) == other


@given(texts, texts, texts)
def test_every_hunk_is_a_stretch_of_each_text(base: str, theirs: str, mine: str) -> None:
    hunks = merge(base, theirs, mine)
    for text, side in ((base, "base"), (theirs, "theirs"), (mine, "mine")):
        joined = [line for hunk in hunks for line in getattr(hunk, side)]
        assert joined == text.split("\n")


@given(texts, texts, texts)
def test_choosing_a_side_keeps_all_of_its_lines_in_conflicts(
    base: str, theirs: str, mine: str
) -> None:
    hunks = merge(base, theirs, mine)
    for choice, side in ((Choice.MINE, "mine"), (Choice.THEIRS, "theirs")):
        wanted = Counter(line for at in conflicts(hunks) for line in getattr(hunks[at], side))
        assert not wanted - Counter(_all(hunks, choice).split("\n"))


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
    assert not put_in - Counter(_all(hunks, Choice.BOTH).split("\n"))


def test_texts_that_hardly_agree_take_the_time_of_their_length() -> None:
    def counted(lines: int) -> tuple[str, str, str]:
        base, theirs, mine = (
            "\n".join(f"- {number % again}" for number in range(lines)) for again in (97, 89, lines)
        )
        return base, theirs, mine

    def bring_together(three: tuple[str, str, str]) -> None:
        assert _all(merge(*three), Choice.MINE) == three[2]

    assert_linear(bring_together, counted, least=16_000)


def test_one_line_again_and_again_takes_the_time_of_its_length() -> None:
    def bring_together(base: str) -> None:
        hunks = merge(base, base + "theirs\n", "mine\n" + base)
        assert resolved(hunks, {}) == "mine\n" + base + "theirs\n"

    assert_linear(bring_together, lambda lines: "x\n" * lines)
