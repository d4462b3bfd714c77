from hypothesis import given
from hypothesis import strategies as st

from memoryweb.markdown.blocks import Block
from memoryweb.markdown.parts import top, worthiest

TEXT = """# Memory

## Family

- Ana is his sister.
- Bruno is his brother.

## Work

<!-- pinned -->
- Never calls before nine.
<!-- /pinned -->
- Works at the port.
- Leads a team of four.
"""


def test_what_is_pinned_comes_first_then_what_is_worth_most_below_its_headings() -> None:
    part = worthiest(TEXT, 125, lambda block: float("Bruno" in block.text))
    assert part.text == (
        "# Memory\n## Family\n- Bruno is his brother.\n## Work\n<!-- pinned -->\n"
        f"- Never calls before nine.\n<!-- /pinned -->\n… ({part.cut} characters more)"
    )
    assert part.lines == ((1, 1), (3, 3), (6, 6), (8, 8), (10, 12))


def test_a_text_that_fits_is_whole() -> None:
    part = worthiest(TEXT, len(TEXT), lambda _block: 0.0)
    assert (part.text, part.cut, part.lines) == (TEXT, 0, ((1, 14),))


def test_where_nothing_fits_its_top_is_given() -> None:
    text = "word " * 100
    assert worthiest(text, 50, lambda _block: 1.0) == top(text, 50)


@given(st.lists(st.sampled_from(["# A", "- b c", "", "d e f", "<!-- pinned -->", "```"])))
def test_it_never_takes_more_than_its_limit_and_only_lines_of_the_text(lines: list[str]) -> None:
    text = "\n".join(lines)

    def worth(block: Block) -> float:
        return float(len(block.text))

    part = worthiest(text, 12, worth)
    kept = len(text) - part.cut
    assert kept <= max(12, 0)
    assert all(1 <= first <= last <= max(1, len(lines)) for first, last in part.lines)
