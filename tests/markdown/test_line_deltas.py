"""A text told by the one before it reads as it was written."""

from hypothesis import given
from hypothesis import strategies as st

from memoryweb.markdown.line_deltas import Replayed, line_delta

LINES = st.sampled_from(["", "- tea", "- Leeds", "# Home", "- tea ", "\r", "ends\u2028here"])
TEXTS = st.lists(LINES, max_size=12).map("\n".join)


@given(st.lists(st.tuples(TEXTS, st.sampled_from(["whole", "edited", "appended"])), max_size=6))
def test_every_text_reads_as_it_was_written(steps: list[tuple[str, str]]) -> None:
    replayed, now = Replayed(), ""
    for text, how in steps:
        part, edits = line_delta(now, text) if how == "edited" else (text, None)
        now = now + text if how == "appended" else text
        replayed.add(part, edits, is_whole=how == "whole")
        assert replayed.text == now


@given(TEXTS, TEXTS)
def test_only_lines_that_came_stand_in_it(before: str, after: str) -> None:
    part, edits = line_delta(before, after)
    if sum(came for _at, _gone, came in edits):
        assert set(part.split("\n")) <= set(after.split("\n"))
    else:
        assert part == ""
    assert (edits == []) == (before == after)


def test_of_long_texts_that_share_nothing_all_is_told() -> None:
    before, after = ("\n".join(f"{word} {n}" for n in range(3000)) for word in ("old", "new"))
    assert line_delta(before, after) == (after, [[0, 3000, 3000]])
    assert line_delta(f"head\n{before}", f"head\n{after}")[1] == [[1, 3000, 3000]]
