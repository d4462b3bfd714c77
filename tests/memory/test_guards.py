import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryweb.markdown.pins import has_open_pin, pinned_ranges
from memoryweb.memory.guards import allowed_changes, changed_lines, check

ANIMALS = "ant bee cat dog elk fox gnu hen ibis jay kite lynx mole newt owl pig quail ray seal toad"
SMALL = (
    "# Memory\n\n- Ines plays the violin\n- Tom bakes bread\n"
    "- Ships on Fridays\n- Office in Porto\n"
)
PINNED = (
    "# Memory\n<!-- pinned -->\n- Never call before nine\n<!-- /pinned -->\n- Tom bakes bread\n"
)


def broken(before: str, after: str, **given_: object) -> list[str]:
    return [one.guard for one in check(before, after, **given_)]  # type: ignore[arg-type]


def zoo(lines: int) -> str:
    names = ANIMALS.split()
    return "\n".join(f"- The {names[n % 20]} sleeps in house {n}" for n in range(lines))


def test_the_same_text_breaks_nothing() -> None:
    assert check(SMALL, SMALL, cap=1) == []


@pytest.mark.parametrize("after", ["", " \n\t\n", "\u3000"])
def test_an_empty_answer_is_broken(after: str) -> None:
    assert broken(SMALL, after) == ["empty"]


def test_an_added_line_breaks_nothing() -> None:
    assert check(SMALL, SMALL + "- Ines lives in Lisbon\n") == []


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
    assert check(PINNED, PINNED.replace("# Memory\n", "# Memory\n\n- Ines lives in Lisbon\n")) == []


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


def test_a_confirmed_fact_may_be_put_more_fully_but_not_lost() -> None:
    fuller = SMALL.replace("plays the violin", "plays the violin in a quartet")
    assert broken(SMALL, fuller, confirmed_facts=["Ines plays the violin"]) == []
    lost = SMALL.replace("plays the violin", "paints")
    assert broken(SMALL, lost, confirmed_facts=["Ines plays the violin"]) == ["confirmed"]


@pytest.mark.parametrize(("dropped", "guards"), [(1, []), (2, ["dropped"])])
def test_a_quarter_of_the_entries_may_be_dropped(dropped: int, guards: list[str]) -> None:
    before = SMALL.replace("# Memory\n\n", "")
    after = "\n".join(before.split("\n")[dropped:])
    assert broken(before, after) == guards


def test_a_superseded_entry_does_not_count_as_dropped() -> None:
    after = (
        "# Memory\n\n- Ines plays the violin\n- Ships on Thursdays\n- Office in Faro\n- Tom runs\n"
    )
    old = ["Tom bakes bread", "- Ships on Fridays", "Office in Porto"]
    assert broken(SMALL, after) == ["dropped"]
    assert broken(SMALL, after, superseded=old) == []


def test_one_line_for_a_memory_of_sixty_is_broken() -> None:
    assert broken(zoo(60), "- All animals sleep\n") == ["dropped", "changed"]


@pytest.mark.parametrize(
    ("lines", "added", "today", "guards"),
    [
        (40, 40, 0, []),
        (41, 8, 0, []),
        (41, 9, 0, ["changed"]),
        (50, 10, 0, []),
        (50, 5, 5, ["changed"]),
        (50, 4, 5, []),
    ],
)
def test_machines_change_at_most_a_fifth_a_day(
    lines: int, added: int, today: int, guards: list[str]
) -> None:
    after = zoo(lines) + "".join(f"\n- A new animal comes, number {n}" for n in range(added))
    assert broken(zoo(lines), after, changed_today=today) == guards


def test_room_does_not_grow_with_what_was_added_today() -> None:
    grown = zoo(50) + "".join(f"\n- A new animal comes, number {n}" for n in range(10))
    assert allowed_changes(zoo(50)) == 10
    assert allowed_changes(grown, changed_today=10) == 0


def test_a_replaced_line_is_one_change_and_blank_lines_are_none() -> None:
    assert (
        changed_lines(SMALL, SMALL.replace("bread", "cake").replace("- Ships", "\n\n- Ships")) == 1
    )


@pytest.mark.parametrize(("cap", "guards"), [(120, []), (119, ["size"])])
def test_the_size_cap_counts_characters(cap: int, guards: list[str]) -> None:
    before = "- " + "é" * 90 + "\n"
    assert broken(before, before + "- " + "茶" * 25, cap=cap) == guards


def test_a_new_secret_is_broken_and_an_old_one_is_not() -> None:
    secret = "- The door opens with sesame\n"

    def sees(text: str) -> bool:
        return "sesame" in text

    assert broken(SMALL, SMALL + secret, has_secret=sees) == ["secret"]
    assert broken(SMALL + secret, SMALL + secret + "- Tom runs\n", has_secret=sees) == []


@pytest.mark.parametrize(
    ("line", "inputs", "guards"),
    [
        ("Docs at https://docs.shop.example/start", [], ["address"]),
        ("Docs at https://docs.shop.example/start", ["see https://docs.shop.example/start."], []),
        (
            "Docs at https://docs.shop.example/other",
            ["see https://docs.shop.example/start"],
            ["address"],
        ),
        ("Write to billing@shop.example", [], ["address"]),
        ("Write to billing@shop.example", ["mail ines@shop.example please"], []),
        ("Write to billing@evil.example", ["mail ines@shop.example please"], ["address"]),
        ("Read [this](//evil.example/x)", [], ["address"]),
        ("Go to www.evil.example", [], ["address"]),
        ("Go to evil.com now", [], ["address"]),
        ("FTP is ftp://files.example/a", [], ["address"]),
        ("Kept in MEMORY.md, e.g. here", [], []),
    ],
)
def test_no_address_appears_that_no_input_holds(
    line: str, inputs: list[str], guards: list[str]
) -> None:
    assert broken(SMALL, f"{SMALL}- {line}\n", inputs=inputs) == guards


def test_details_are_sentences_with_numbers() -> None:
    found = check(zoo(60), "- All animals sleep\n", protected_lines={1}, cap=5)
    assert {one.guard: one.detail for one in found} == {
        "edited": "1 of 1 line edited by a person would be changed, moved or lost.",
        "dropped": "60 of 60 entries would be dropped, more than 25%.",
        "changed": "60 of 60 lines would change; a fifth of the lines may change in a day.",
        "size": "The new text has 20 characters, more than 5.",
    }


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
    if not check(before, after):
        assert all(block in after for block in pinned)


@given(lines_of_text, lines_of_text, st.sets(st.integers(1, 12)))
def test_an_answer_that_loses_a_protected_line_never_passes(
    old: list[str], new: list[str], numbers: set[int]
) -> None:
    if not check("\n".join(old), "\n".join(new), protected_lines=numbers):
        assert all(old[n - 1] in new for n in numbers if n <= len(old) and old[n - 1].strip())
