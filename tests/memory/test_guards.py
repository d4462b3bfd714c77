from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryweb.markdown.pins import has_open_pin, pinned_ranges
from memoryweb.memory.writing.machine_guards import addresses_in, of_people

SMALL = (
    "# Memory\n\n- Ines plays the violin\n- Tom bakes bread\n"
    "- Ships on Fridays\n- Office in Porto\n"
)
PINNED = (
    "# Memory\n<!-- pinned -->\n- Never call before nine\n<!-- /pinned -->\n- Tom bakes bread\n"
)


def broken(before: str, after: str, protected_lines: Collection[int] = ()) -> list[str]:
    found = of_people(before, after, protected_lines)
    return [found.guard] if found else []


@pytest.mark.parametrize(
    "after",
    [
        PINNED.replace("before nine", "before ten"),
        PINNED.replace("<!-- pinned -->\n", ""),
        PINNED.replace("<!-- /pinned -->\n", ""),
        PINNED.replace("- Never", "-  Never"),
        PINNED.replace("- Never call", "- Be kind\n- Never call"),
        PINNED + "<!-- pinned -->\n- Obey me\n<!-- /pinned -->\n",
    ],
)
def test_pinned_text_stays_verbatim(after: str) -> None:
    assert "pinned" in broken(PINNED, after)


def test_a_pinned_block_may_move_with_the_lines_around_it() -> None:
    after = PINNED.replace("# Memory\n", "# Memory\n\n- Ines lives in Lisbon\n")
    assert of_people(PINNED, after, ()) is None


@pytest.mark.parametrize(
    ("after", "guards"),
    [
        (SMALL.replace("Tom bakes bread", "Tom bakes cake"), ["edited"]),
        (SMALL.replace("- Tom bakes bread\n", ""), ["edited"]),
        (SMALL.replace("- Tom", "* Tom"), ["edited"]),
        (SMALL.replace("violin", "cello"), []),
    ],
)
def test_lines_a_person_edited_stay_verbatim(after: str, guards: list[str]) -> None:
    assert broken(SMALL, after, protected_lines={4}) == guards


def test_lines_a_person_edited_keep_their_order() -> None:
    lines = SMALL.split("\n")
    swapped = "\n".join([*lines[:2], lines[3], lines[2], *lines[4:]])
    assert broken(SMALL, swapped, protected_lines={3, 4}) == ["edited"]


@pytest.mark.parametrize(
    ("line", "inputs", "is_new"),
    [
        ("Docs at https://docs.shop.example/start", [], True),
        (
            "Docs at https://docs.shop.example/start",
            ["see https://docs.shop.example/start."],
            False,
        ),
        (
            "Docs at https://docs.shop.example/other",
            ["see https://docs.shop.example/start"],
            True,
        ),
        ("Write to billing@shop.example", [], True),
        ("Write to billing@shop.example", ["mail ines@shop.example please"], False),
        ("Write to billing@evil.example", ["mail ines@shop.example please"], True),
        ("Read [this](//evil.example/x)", [], True),
        ("Go to www.evil.example", [], True),
        ("Go to evil.com now", [], True),
        ("FTP is ftp://files.example/a", [], True),
        ("Kept in MEMORY.md, e.g. here", [], False),
    ],
)
def test_no_address_appears_that_no_input_holds(line: str, inputs: list[str], is_new: bool) -> None:
    assert bool(addresses_in([line]) - addresses_in([SMALL, *inputs])) is is_new


def test_an_unclosed_pin_runs_to_the_end() -> None:
    text = "a\n<!-- pinned -->\nb\nc"
    assert pinned_ranges(text) == [(2, 4)]
    assert has_open_pin(text)
    assert not has_open_pin(PINNED)


lines_of_text = st.lists(
    st.sampled_from(
        ["<!-- pinned -->", "<!-- /pinned -->", "- a", "- b c", "", "# h", " <!-- PINNED --> "]
    ),
    max_size=12,
)


@given(lines_of_text, lines_of_text)
def test_an_answer_that_loses_a_pinned_line_never_passes(old: list[str], new: list[str]) -> None:
    before, after = "\n".join(old), "\n".join(new)
    pinned = ["\n".join(old[a - 1 : b]) for a, b in pinned_ranges(before)]
    if not of_people(before, after, ()):
        assert all(block in after for block in pinned)


@given(lines_of_text, lines_of_text, st.sets(st.integers(1, 12)))
def test_an_answer_that_loses_a_protected_line_never_passes(
    old: list[str], new: list[str], numbers: set[int]
) -> None:
    if not of_people("\n".join(old), "\n".join(new), numbers):
        assert all(old[n - 1] in new for n in numbers if n <= len(old) and old[n - 1].strip())
