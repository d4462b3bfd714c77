from memoryweb.memory.snapshots.planning import joined

HERE = "# 2026-11-20\n\n- 09:00 Fog.\n"


def test_the_same_text_stays() -> None:
    assert joined(HERE, HERE) == HERE


def test_lines_that_are_lacking_come_at_the_end_in_order() -> None:
    assert joined(HERE, "# 2026-11-20\n\n- 08:00 Rain.\n- 09:00 Fog.\n- 10:00 Sun.\n") == (
        HERE + "- 08:00 Rain.\n- 10:00 Sun.\n"
    )


def test_paragraphs_stay_apart() -> None:
    assert joined(HERE, "One.\n\n\nTwo.\nThree.\n") == HERE + "One.\n\nTwo.\nThree.\n"


def test_blanks_at_the_ends_of_lines_make_no_new_line() -> None:
    assert joined(HERE, "- 09:00 Fog.  \r\n") == HERE


def test_a_block_of_code_comes_as_a_whole_or_not() -> None:
    here = HERE + "```\nls\n```\n"
    assert joined(here, "```\nls\n```\n") == here
    assert joined(here, "```\nls\npwd\n```\n") == here + "```\nls\npwd\n```\n"


def test_a_text_without_an_end_of_line_gets_one() -> None:
    assert joined("- Fog.", "- Sun.") == "- Fog.\n- Sun.\n"


def test_joining_twice_changes_nothing_more() -> None:
    once = joined(HERE, "~~~\nopen\n\nfence\n- x\n")
    assert joined(once, "~~~\nopen\n\nfence\n- x\n") == once
