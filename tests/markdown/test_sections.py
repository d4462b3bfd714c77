import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryweb.markdown import sections
from memoryweb.markdown.paths import SectionRefused
from memoryweb.markdown.sections import appended, has_value, headings, with_section, with_value

TEXT = """# House

Welcome.

## Plans

Old plans.

### Summer

- Sail.

## Rules

- **Check-in**: from 14:00
- Quiet: after ten
  and on Sundays
  - really

```
## Plans
- Quiet: never
```

> - Quiet: in a quote

Setext
------

The end.
"""


def test_a_section_is_replaced_and_its_subsections_stay() -> None:
    changed = with_section(TEXT, "Plans", "New plans.\n\n- One.")
    assert changed == TEXT.replace("Old plans.", "New plans.\n\n- One.")


def test_a_setext_heading_is_found() -> None:
    assert with_section(TEXT, "setext", "New.") == TEXT.replace("The end.", "New.")


def test_a_new_section_comes_at_the_end() -> None:
    assert with_section(TEXT, "### Later", "Soon.") == TEXT + "\n### Later\n\nSoon.\n"


def test_a_heading_may_be_empty_afterwards() -> None:
    assert "Old plans" not in with_section(TEXT, "Plans", "")
    assert "- Sail." in with_section(TEXT, "Plans", "")


def test_two_headings_of_one_name_are_refused_unless_the_level_tells_them_apart() -> None:
    text = "# A\n\none\n\n## A\n\ntwo\n"
    with pytest.raises(SectionRefused):
        with_section(text, "A", "new")
    assert with_section(text, "## A", "new") == "# A\n\none\n\n## A\n\nnew\n"


@pytest.mark.parametrize(
    ("key", "value", "old", "new"),
    [
        ("check-in", "from 15:00", "from 14:00", "from 15:00"),
        ("Quiet", "after nine", "after ten\n  and on Sundays", "after nine"),
    ],
)
def test_a_value_is_replaced_however_its_key_is_written(
    key: str, value: str, old: str, new: str
) -> None:
    assert with_value(TEXT, key, value) == TEXT.replace(old, new)


def test_a_new_value_joins_the_list_of_its_section() -> None:
    changed = with_value("# A\n\n- **x**: 1\n\n# B\n\ntext\n", "y", "2", "A")
    assert changed == "# A\n\n- **x**: 1\n- **y**: 2\n\n# B\n\ntext\n"


def test_a_new_value_brings_its_heading() -> None:
    assert with_value("# A\n", "y", "2", "B") == "# A\n\n## B\n\n- **y**: 2\n"


def test_an_empty_text_takes_a_value() -> None:
    assert with_value("", "y", "2") == "- **y**: 2\n"


def test_two_items_of_one_key_are_refused() -> None:
    with pytest.raises(SectionRefused):
        with_value("- x: 1\n- **x**: 2\n", "x", "3")


def test_the_key_of_a_link_is_no_key() -> None:
    assert with_value("- http://example.com\n", "http", "x").startswith("- http://example.com\n")


WORDS = st.text("abc déf茶", min_size=1, max_size=12).map(str.strip).filter(bool)
BODIES = st.lists(
    st.one_of(WORDS, WORDS.map("- {}".format), st.just(""), WORDS.map("    {}".format)), max_size=6
).map("\n".join)
DOCUMENTS = st.lists(st.tuples(st.integers(1, 4), BODIES), min_size=1, max_size=5).map(
    lambda parts: "".join(
        f"{'#' * level} Part {number}\n\n{body}\n\n" for number, (level, body) in enumerate(parts)
    )
)


@given(DOCUMENTS, WORDS)
def test_what_was_appended_stands_at_the_end_and_the_rest_is_untouched(text: str, new: str) -> None:
    changed = appended(text, new)
    assert changed.startswith(text.rstrip("\n"))
    assert changed.endswith(f"\n{new}\n")


@given(DOCUMENTS, WORDS)
def test_other_sections_keep_every_byte(text: str, new: str) -> None:
    changed = with_section(text, "Part 0", new)
    before, after = headings(text), headings(changed)
    assert [(one.text, one.level) for one in after] == [(one.text, one.level) for one in before]
    if len(before) > 1:
        rest = text.split("\n")[before[1].line :]
        assert changed.split("\n")[after[1].line :] == rest


@given(DOCUMENTS, st.sampled_from(["alpha", "Check-in", "茶"]), WORDS)
def test_the_same_value_twice_is_written_once(text: str, key: str, value: str) -> None:
    once = with_value(text, key, value, "Part 0")
    assert with_value(once, key, value, "Part 0") == once
    assert has_value(once, key, value)


@pytest.mark.parametrize(
    ("before", "key", "after"),
    [
        ("- 名字：小明\n- 年龄：8\n", "名字", "- 名字：tea\n- 年龄：8\n"),
        ("- **名字：**小明\n", "名字", "- **名字：**tea\n"),
        ("- 名字:小明\n", "名字", "- 名字: tea\n"),
        ("- **Cafe\u0301**: milk\n", "Café", "- **Cafe\u0301**: tea\n"),
        ("- **ＡＢＣ**: milk\n", "abc", "- **ＡＢＣ**: tea\n"),
        ("- a.+(b)?: milk\n", "a.+(b)?", "- a.+(b)?: tea\n"),
        ("- axb: milk\n", "a.b", "- axb: milk\n- **a.b**: tea\n"),
        ("- [x] drink: milk\n", "drink", "- [x] drink: tea\n"),
        ("- drink:\n", "drink", "- drink: tea\n"),
        ("- home\n  - drink: milk\n    - cold\n", "drink", "- home\n  - drink: tea\n    - cold\n"),
        ("- 10:30 milk\n", "10", "- 10:30 milk\n- **10**: tea\n"),
    ],
)
def test_a_key_is_found_as_it_is_written(before: str, key: str, after: str) -> None:
    assert with_value(before, key, "tea") == after
    assert has_value(after, key, "tea")


def test_a_value_is_one_line_and_may_be_empty() -> None:
    assert with_value("- drink: milk\n", "drink", "tea\n\nand cake") == "- drink: tea and cake\n"
    assert with_value("- drink: milk\n", "drink", "") == "- drink:\n"


def test_a_text_with_windows_line_ends_keeps_them() -> None:
    text = "# A\r\n\r\n- k: v\r\n\r\n# B\r\n\r\nold\r\n"
    assert with_value(text, "k", "w") == text.replace("k: v", "k: w")
    assert with_section(text, "B", "new\nand newer") == text.replace("old", "new\r\nand newer")
    assert appended(text, "end") == text + "\r\nend\r\n"
    added = with_value(text, "m", "n", "A")
    assert added == text.replace("- k: v\r\n", "- k: v\r\n- **m**: n\r\n")


@pytest.mark.parametrize("open_end", ["```\ncode", "# More\n\n```\ncode", "<!-- not closed"])
def test_a_new_text_that_swallows_what_follows_is_refused(open_end: str) -> None:
    text = "# A\n\n- a\n\n# B\n\n- b\n"
    with pytest.raises(SectionRefused):
        with_section(text, "A", open_end)
    assert with_section(text, "B", open_end).startswith("# A\n\n- a\n\n# B\n")


def test_a_heading_in_a_code_block_ends_no_section() -> None:
    text = "# A\n\n```\n# No heading\n```\n\n# B\n"
    assert with_section(text, "A", "new") == "# A\n\nnew\n\n# B\n"


def test_new_text_keeps_characters_that_only_look_like_line_ends() -> None:
    said = "one\u2028two\x0bthree"
    assert with_section("# A\n\nold\n", "A", said) == f"# A\n\n{said}\n"


def test_twice_as_many_items_take_twice_the_steps() -> None:
    text = "- tea: green\n" * 500
    steps = _steps(lambda: has_value(text, "milk", ""))
    assert _steps(lambda: has_value(text * 2, "milk", "")) < 2.2 * steps


def _steps(act: Callable[[], object]) -> int:
    """How many lines of the module ran: no clock is read."""
    count = 0

    def step(frame: FrameType, event: str, _arg: object) -> Any:
        nonlocal count
        if frame.f_code.co_filename != sections.__file__:
            return None
        count += event == "line"
        return step

    sys.settrace(step)
    try:
        act()
    finally:
        sys.settrace(None)
    return count
