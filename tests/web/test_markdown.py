from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryweb.web import markdown

HOSTILE = [
    "<script>alert(1)</script>",
    "[x](javascript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "![x](https://evil.example/p.png)",
    "<img src=x onerror=alert(1)>",
    "<a href='#' onclick=alert(1)>x</a>",
    "<div hx-get=/t/x/ hx-trigger=load></div>",
    "[x](https://a.example 'a\" onclick=\"b')",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_only_harmless_elements_come_through(text: str) -> None:
    for html in (markdown.render_text(text), markdown.render(text).blocks[0].html):
        for tag, attributes in _elements(html):
            assert tag in {"p", "a"}
            assert set(attributes) <= {"href", "title", "rel"}
            assert attributes.get("href", "https:").split(":")[0] in {"https", "mailto"}


def test_links_carry_their_rel() -> None:
    html = markdown.render_text("[docs](https://docs.example)")
    assert 'rel="noopener nofollow"' in html


def test_headings_go_one_down_because_the_page_has_its_own() -> None:
    assert markdown.render("# One").blocks[0].html.startswith("<h2>")


def test_every_item_is_a_block_under_its_line_number() -> None:
    blocks = markdown.render("# T\n\n- a\n- b\n  - c\n\ntext\nmore\n").blocks
    assert [(b.kind, b.start, b.end, b.depth) for b in blocks] == [
        ("heading", 1, 1, 0),
        ("item", 3, 3, 0),
        ("item", 4, 4, 0),
        ("item", 5, 5, 1),
        ("text", 7, 8, 0),
    ]


def test_pins_are_marks_and_not_text() -> None:
    blocks = markdown.render("<!-- pinned -->\n- keep\n<!-- /pinned -->\n- free").blocks
    assert [b.kind for b in blocks] == ["pin", "item", "unpin", "item"]
    assert [b.start for b in blocks] == [1, 2, 3, 4]


def test_what_is_over_the_cap_is_cut_and_said() -> None:
    rendered = markdown.render("- line of text\n" * 30_000)
    assert rendered.is_cut
    assert not markdown.render("- line").is_cut


@given(st.text(alphabet="ab#->*_`[]()! \n1.|~&<", max_size=200))
def test_every_written_line_is_in_a_block_and_in_order(text: str) -> None:
    blocks = markdown.render(text).blocks
    starts = [block.start for block in blocks]
    assert starts == sorted(starts)
    covered = {line for block in blocks for line in block.lines}
    lines = text.split("\n")
    missing = [n for n, line in enumerate(lines, 1) if line.strip() and n not in covered]
    # Link definitions and closing fences render to nothing of their own.
    assert all(set(lines[n - 1].strip()) <= set("ab#->*_`[]()! 1.|~&<") for n in missing)


def _elements(html: str) -> list[tuple[str, dict[str, str]]]:
    parser = _Elements()
    parser.feed(html)
    return parser.found


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))
