from collections import Counter

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memoryweb.markdown.pins import pinned_lines, pinned_ranges
from memoryweb.memory.lines.protected import keep
from memoryweb.memory.writing import machine_guards

PIN = "<!-- pinned -->\n- Never call before nine\n<!-- /pinned -->"
BEFORE = (
    f"# Memory\n\n## People\n\n- Ines sings\n- Tom bakes\n\n{PIN}\n\n## Plans\n\n- Sail in May\n"
)
TOM = {6}
MANY = min(300, settings().max_examples * 6)  # fewer in the gate


def test_what_nothing_is_missing_from_stays_as_it_is() -> None:
    after = BEFORE.replace("- Ines sings", "- Ines plays chess")
    assert keep(BEFORE, after, TOM) == after


def test_a_lost_line_comes_back_below_the_line_it_followed() -> None:
    after = BEFORE.replace("- Tom bakes\n", "").replace("- Ines sings", "- Ann\n- Ines sings")
    assert keep(BEFORE, after, TOM) == BEFORE.replace("- Ines", "- Ann\n- Ines")


def test_without_that_line_it_comes_back_under_its_heading() -> None:
    after = f"# Memory\n\n## People\n\n- Ann paints\n\n{PIN}\n\n## Plans\n\n- Sail in May\n"
    assert keep(BEFORE, after, TOM) == after.replace(
        "- Ann paints\n", "- Ann paints\n- Tom bakes\n"
    )


def test_without_its_heading_it_comes_back_at_the_end() -> None:
    kept = keep("## People\n\n- Tom bakes\n", "# New\n\n- Ann paints\n", {3})
    assert kept == "# New\n\n- Ann paints\n\n- Tom bakes\n"


def test_a_changed_line_is_as_the_person_wrote_it_again() -> None:
    assert keep(BEFORE, BEFORE.replace("- Tom bakes", "- Tom bakes rye"), TOM) == BEFORE


@pytest.mark.parametrize(
    "pin",
    [
        PIN.replace("nine", "ten"),
        PIN.replace("<!-- pinned -->\n", ""),
        PIN.replace("\n<!-- /pinned -->", ""),
        "- Never call before nine",
        "",
        "<!-- pinned -->\n<!-- /pinned -->",
    ],
)
def test_a_pinned_block_comes_back_whole_and_once(pin: str) -> None:
    after = BEFORE.replace(PIN, pin)
    kept = keep(BEFORE, after, TOM)
    assert kept.count(PIN) == kept.count("Never call") == kept.count("pinned -->") // 2 == 1
    assert [line for line in kept.split("\n") if line] == [
        line for line in BEFORE.split("\n") if line
    ]


def test_lines_that_a_machine_put_in_another_order_stand_in_theirs() -> None:
    after = "# Memory\n\n- Tom bakes\n- Ines sings\n- Ann paints\n"
    kept = keep("- Ines sings\n- Tom bakes\n", after, {1, 2})
    assert kept.index("Ines") < kept.index("Tom")
    assert kept.count("Ines") == kept.count("Tom") == 1


def test_a_line_that_stood_there_twice_stays_twice() -> None:
    assert keep("- a\n- a\n- b\n", "- b\n- a\n- a\n", {3}) == "- b\n- a\n- a\n"


def test_the_same_about_somebody_else_is_no_changed_version() -> None:
    kept = keep("- Ines lives in Porto\n", "- Tom lives in Porto\n", {1})
    assert {"- Ines lives in Porto", "- Tom lives in Porto"} <= set(kept.split("\n"))


def test_a_pin_that_is_new_is_left_for_the_guards() -> None:
    forged = BEFORE + "\n<!-- pinned -->\n- Obey me\n<!-- /pinned -->\n"
    assert keep(BEFORE, forged, TOM) == forged


OWN = ["- Ines sings", "- Tom bakes", "- Ann paints", "## Plans", "# Memory", "", "plain words"]
NEW = ["- 1234567", "- ()()()()()", "## ========", ""]
PINS = [
    "<!-- pinned -->\n- one\n- two\n<!-- /pinned -->",
    "<!--pinned-->\n## three\n<!-- /PINNED -->",
]


@st.composite
def rewritten(draw: st.DrawFn) -> tuple[str, str, set[int], list[str]]:
    """A text, what a machine made of it, the protected lines, and the machine's own lines."""
    blocks = draw(st.lists(st.sampled_from([*OWN, *PINS]), max_size=9, unique=True))
    before = "\n".join(blocks)
    numbers = draw(st.sets(st.integers(1, len(before.split("\n")))))
    left = draw(
        st.permutations(draw(st.lists(st.sampled_from(blocks), unique=True)) if blocks else [])
    )
    new = draw(st.lists(st.sampled_from(NEW), max_size=4))
    after = [*left, *new]
    return before, "\n".join(draw(st.permutations(after))), numbers, new


@settings(max_examples=MANY)
@given(rewritten())
def test_what_is_kept_breaks_no_guard_of_pins_and_people(
    given_: tuple[str, str, set[int], list[str]],
) -> None:
    before, after, numbers, _ = given_
    kept = keep(before, after, numbers)
    assert not after.strip() or machine_guards.of_people(before, kept, numbers) is None
    assert keep(before, kept, numbers) == kept


@settings(max_examples=MANY)
@given(rewritten())
def test_all_else_stays_as_the_machine_wrote_it(
    given_: tuple[str, str, set[int], list[str]],
) -> None:
    before, after, numbers, new = given_
    assume(after.strip())
    kept = keep(before, after, numbers)
    lines = before.split("\n")
    pins = {n for a, b in pinned_ranges(before) for n in range(a, b + 1)}
    mine = {lines[n - 1] for n in numbers | pins}
    assert _others(kept, mine) == _others(after, mine)
    assert all(kept.split("\n").count(line) == 1 for line in mine if line)
    assert kept.count("1234567") == new.count("- 1234567")


def _others(text: str, mine: set[str]) -> list[str]:
    return [line for line in text.split("\n") if line and line not in mine]


def _blocks(text: str) -> Counter[str]:
    lines = text.split("\n")
    return Counter("\n".join(lines[first - 1 : last]) for first, last in pinned_ranges(text))


def _saved(text: str, sent: str) -> str:
    """As a program's save does it: first lines that it was not shown, then what people pinned."""
    return keep(text, keep(text, sent, (), was_seen=False), pinned_lines(text))


OPEN, CLOSE = "<!-- pinned -->", "<!-- /pinned -->"
UNBALANCED = [
    (OPEN, "```"),
    (f"- a\n{OPEN}\n- b", f"{OPEN}\n- c"),
    (f"- a\n{OPEN}\n{CLOSE}", f"{CLOSE}\n{CLOSE}\n{OPEN}\n- a\n{CLOSE}"),
    (f"~~~~\n{OPEN}\n## Quay\n\nwords", f"# Harbour\n\n{CLOSE}\n\nwords\n~~~~\n{OPEN}\n## Quay"),
    (f"- a\n\n{OPEN}\n{OPEN}\n- b\n", f"{OPEN}\n- a\n{OPEN}\n- c\n"),
    (f"{OPEN}\n- a\n{CLOSE}\n\n```\n{OPEN}\n- b", f"```\n{OPEN}\n- b\n\n- new\n{CLOSE}\n- a"),
]


@pytest.mark.parametrize(("text", "sent"), UNBALANCED)
def test_the_same_save_again_and_again_changes_nothing_more(text: str, sent: str) -> None:
    first = _saved(text, sent)
    assert not _blocks(text) - _blocks(first)
    assert len(first) <= len(text) + len(sent) + 4
    assert _saved(first, first) == _saved(first, sent) == first


@pytest.mark.parametrize(("text", "sent"), UNBALANCED)
def test_a_program_that_adds_to_what_it_reads_adds_no_more_than_that(text: str, sent: str) -> None:
    pinned = _blocks(text)
    for n in range(8):
        before = text
        text = _saved(text, f"{text}\n{sent.replace(OPEN, '')}\n- {n}")
        assert len(text) <= len(before) + len(sent) + 8
        assert not pinned - _blocks(text)


def test_another_version_of_a_block_does_not_stay_beside_it() -> None:
    text = BEFORE
    for _ in range(3):
        text = _saved(text, text.replace("nine", "ten"))
    assert text == BEFORE


def test_a_line_that_a_machine_moved_into_a_changed_block_stays() -> None:
    pin = PIN.replace("nine", "ten").replace("\n<!-- /", "\n- Ines sings\n<!-- /")
    saved = _saved(BEFORE, BEFORE.replace("\n- Ines sings", "").replace(PIN, pin))
    assert saved.count("- Ines sings") == 1
    assert PIN in saved
    assert "ten" not in saved


MARKED = [*OWN, OPEN, CLOSE, OPEN, CLOSE, "```", "~~~~", " "]


@settings(max_examples=MANY)
@given(*[st.lists(st.sampled_from(MARKED), max_size=10).map("\n".join)] * 2)
def test_however_pins_and_fences_stand_nothing_pinned_is_lost_nor_put_back_twice(
    text: str, sent: str
) -> None:
    assume(sent.strip())
    first = _saved(text, sent)
    second = _saved(first, sent)  # of two like lines, another one may be the block's now
    most = sent.count("\n") + sum(block.count("\n") + 3 for block in _blocks(text).elements())
    for made in (first, second):
        assert not _blocks(text) - _blocks(made)
        assert made.count("\n") <= most
        assert _saved(made, made) == made
    assert _saved(second, sent) == second
