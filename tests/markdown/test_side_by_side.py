from hypothesis import given
from hypothesis import strategies as st

from memoryweb.markdown.merge import merge
from memoryweb.markdown.side_by_side import Line, sides

texts = st.lists(st.sampled_from(["", "- tea", "- tea at five", "# Day", "x"]), max_size=6).map(
    "\n".join
)


def _marked(line: Line) -> list[str]:
    return [span.text for span in line.spans if span.marked]


def test_the_words_that_each_side_changed_are_marked() -> None:
    (hunk,) = merge("- Tea at five", "- Tea at six", "- Cake at five")
    found = sides(hunk)
    assert _marked(found.theirs[0]) == ["six"]
    assert _marked(found.mine[0]) == ["Cake"]
    assert _marked(found.base[0]) == ["Tea", "five"]


def test_a_line_that_a_side_left_alone_or_wrote_anew_says_so() -> None:
    hunk = merge("- Tea\n- Rain", "- Tea\n- Sun and wind", "- Teas\n- Sun\nx")[0]
    found = sides(hunk)
    assert [line.kind for line in found.theirs] == ["same", "whole"]
    assert [line.kind for line in found.mine] == ["changed", "whole", "whole"]
    assert [line.kind for line in found.base] == ["changed", "whole"]


def test_characters_of_a_text_without_spaces_are_marked_one_by_one() -> None:
    (hunk,) = merge("- 会议在星期五举行", "- 会议在星期四举行", "- 会议在星期五取消")
    found = sides(hunk)
    assert _marked(found.theirs[0]) == ["四"]
    assert _marked(found.mine[0]) == ["取消"]


@given(texts, texts, texts)
def test_no_line_and_no_character_is_left_out(base: str, theirs: str, mine: str) -> None:
    for hunk in merge(base, theirs, mine):
        found = sides(hunk)
        for lines, shown in (
            (hunk.base, found.base),
            (hunk.theirs, found.theirs),
            (hunk.mine, found.mine),
        ):
            assert ["".join(span.text for span in line.spans) for line in shown] == list(lines)
