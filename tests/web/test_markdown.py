import re
from datetime import date
from html.parser import HTMLParser
from itertools import count

import pytest
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from memoryweb.markdown.marks import Ended
from memoryweb.web import markdown
from tests.pace import assert_linear
from tests.tables import every_row
from tests.web.hostile import HOSTILE

TAGS = {
    "a", "blockquote", "br", "code", "em", "h2", "h3", "hr", "li", "ol", "p", "pre", "s", "span",
    "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip


@every_row(HOSTILE.values())
def test_only_harmless_elements_come_through(text: str) -> None:
    blocks = markdown.render(text).blocks
    for html in (markdown.render_text(text), *(block.html for block in blocks)):
        for tag, attributes in _elements(html):
            assert tag in TAGS
            assert set(attributes) <= {"href", "title", "rel", "start"} | (
                {"class"} if tag == "span" else set()
            )
            assert _scheme(attributes.get("href", "")) in {"", "https", "mailto"}
            assert attributes.get("class", "invisible") == "invisible"


@given(st.lists(st.sampled_from(sorted(HOSTILE.values())), max_size=4), st.data())
def test_pieces_of_hostile_texts_make_nothing_new(texts: list[str], data: st.DataObject) -> None:
    text = "".join(one[data.draw(st.integers(0, len(one))) :] for one in texts)
    for tag, attributes in _elements(markdown.render_text(text)):
        assert tag in TAGS
        assert not any(name.startswith(("on", "hx", "data", "style", "src")) for name in attributes)


@pytest.mark.parametrize(
    "unit",
    [">", "> ", "[", "![[", "*a_ ", "- ", "<", "<!--", "`", "``` ", "- a\n", "\u200b\u200c"],
)
def test_time_grows_with_length_only(unit: str) -> None:
    number = count()  # no text is the same twice: what was shown is kept
    assert_linear(lambda text: markdown.render(f"{next(number)}\n\n{text}"), lambda n: unit * n)


def test_lists_in_lists_take_no_more_than_their_length() -> None:
    def nested(depth: int) -> str:
        return "\n".join("  " * at + "- a" for at in range(depth))

    number = count()
    assert_linear(lambda text: markdown.render(f"{next(number)}\n\n{text}"), nested)


def test_a_text_of_nothing_but_marks_is_shown_as_it_is() -> None:
    blocks = markdown.render("[" * 30_000 + "\n<b>").blocks
    assert blocks[1].html == "<p>&lt;b&gt;</p>"


def test_invisible_characters_are_seen_in_text_and_in_titles() -> None:
    html = markdown.render_text('a\u202eb [x](https://a.example "c\u200bd")')
    assert '<span class="invisible" title="RIGHT-TO-LEFT OVERRIDE">U+202E</span>b' in html
    assert 'title="cU+200Bd"' in html
    assert "\u202e" not in html


def test_invisible_characters_written_as_entities_are_seen() -> None:
    assert ">U+202E<" in markdown.render_text("a&#x202e;b")


def test_plain_text_is_escaped_and_its_invisible_characters_are_seen() -> None:
    assert markdown.plain("<b>\u2066") == (
        '&lt;b&gt;<span class="invisible" title="LEFT-TO-RIGHT ISOLATE">U+2066</span>'
    )


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


def test_a_pin_mark_that_pins_nothing_is_text() -> None:
    assert [b.kind for b in markdown.render("<!-- /pinned -->\n\n- free").blocks] == [
        "text",
        "item",
    ]


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


def _scheme(address: str) -> str:
    """As browsers find it: blanks and controls in it do not count."""
    cleaned = re.sub(r"[\x00-\x20]", "", address)
    found = re.match(r"([a-z][a-z0-9+.-]*):", cleaned, re.IGNORECASE)
    return found.group(1).lower() if found else ""


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


MARKED = "- I live in **Altona** & keep bees. <!-- until 2026-09-28: live in **Altona** & keep -->"


def test_what_has_ended_is_struck_and_says_until_when() -> None:
    [block] = markdown.render(MARKED).blocks
    assert block.html == (
        '<ul><li>I <del title="until 28 September 2026">live in <strong>Altona</strong> &amp; keep'
        '</del><span class="sr"> (until 28 September 2026)</span> bees.</li></ul>'
    )
    with override("de"):
        assert "bis 28. September 2026" in markdown.render(MARKED).blocks[0].html


@pytest.mark.parametrize("words", ["**Altona", "live](x", "<b>", "in **Altona** &", "`"])
def test_words_that_cut_through_markdown_keep_the_page_whole(words: str) -> None:
    line = f"- I [live](x) in **Altona** & <b> `keep` {words} bees."
    [block] = markdown.render(f"{line} <!-- until 2026-09-28: {words} -->").blocks
    assert block.html.count("<del") == block.html.count("</del>") >= 1
    assert "until 28 September 2026" in block.html
    assert "&lt;!--" not in block.html


def test_a_statement_s_ended_words_are_struck_once() -> None:
    ends = [Ended(date(2026, 9, 28), "live in Altona"), Ended(date(2026, 10, 2), "Altona & bees")]
    shown = markdown.struck("I live in Altona & bees <b>.", [*ends, Ended(date.min, "goats")])
    assert re.sub(r"<span.*?</span>", "", shown) == (
        'I <del title="until 28 September 2026">live in Altona</del>'
        '<del title="until 2 October 2026"> &amp; bees</del> &lt;b&gt;.'
    )


def test_signs_of_ours_in_a_text_strike_nothing() -> None:
    text = "- a \ufdd02026-01-01\ufdd1b\ufdd2"
    assert "<del" not in markdown.render(text).blocks[0].html + markdown.render_text(text)
