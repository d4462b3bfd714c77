from datetime import UTC, date, datetime

import pytest

from scripts.memory_judge import Mark, bears_on, judge, serves, unsaid, unsaid_dates
from scripts.memory_people import Said, Thing, load, names

HOME = Thing(
    id="home",
    kind="move",
    right=(("lives", "leeds"), ("walkley",)),
    stale=(("lives", "bristol"),),
    past=("until",),
    absent=(("lives in oslo",),),
)
JOKE = Thing(id="joke", kind="joke", right=(), stale=(), past=(), absent=(("king of france",),))


@pytest.mark.parametrize(
    ("lines", "mark"),
    [
        (["Lives in Leeds."], Mark.RIGHT),
        (["A house in Walkley."], Mark.RIGHT),
        (["Leeds is nice.", "Lives with Bron."], Mark.MISSING),
        ([], Mark.MISSING),
        (["Lives in Leeds.", "Lives in Bristol."], Mark.STALE),
        (["Lives in Leeds.", "Lived and lives on: in Bristol until March."], Mark.RIGHT),
        (["Lives in Leeds.", "Lives in Oslo."], Mark.CLAIMED),
    ],
)
def test_a_thing_is_right_when_one_line_states_it_and_none_rivals_it(
    lines: list[str], mark: Mark
) -> None:
    assert judge([HOME], lines) == {"home": mark}


def test_a_joke_is_right_when_it_is_not_there() -> None:
    assert judge([JOKE], []) == {"joke": Mark.RIGHT}
    assert judge([JOKE], ["Is the King of France."]) == {"joke": Mark.CLAIMED}


def test_a_line_may_bear_on_a_thing_that_it_does_not_state() -> None:
    assert serves(HOME, "Lives in Leeds.")
    assert not serves(HOME, "Lives in Bristol.")
    assert bears_on(HOME, "Lives in Bristol.")
    assert not bears_on(HOME, "Likes tea.")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("Pays 1386 a month to Mrs Okafor.", []),
        ("Works with Zorro since 2026-03-14.", ["Zorro"]),
        ("Has 17 boxes.", ["17"]),
        ("Everything is fine. Thursdays are busy.", []),
        ("朝はOkaforさんの店で13杯。", ["13"]),
        ("Starts next month (2026-06).", []),
        ("来月(2026年6月)から。", []),
        ("Order 2026-0612, room 06.", ["0612", "06"]),
    ],
)
def test_names_and_numbers_that_nobody_said_are_found(line: str, found: list[str]) -> None:
    assert unsaid(line, [_said("I pay £1,386 to Mrs Okafor, on 3 May.")]) == found


def test_dates_that_no_message_names_are_listed_apart() -> None:
    said = [_said("Party on 3 May!")]
    assert unsaid_dates("On 2026-05-03, said on 2026-03-02.", said) == []
    assert unsaid_dates("On 2026-05-04.", said) == ["2026-05-04"]
    assert unsaid_dates("Since 2025.", said) == ["2025"]
    assert unsaid_dates("Next month (2026-06), not this one (2026-05).", said) == ["2026-06"]


@pytest.mark.parametrize("name", names())
def test_each_person_has_forty_things_and_their_messages(name: str) -> None:
    person = load(name)
    ids = {message.id for message in person.messages}
    assert len({thing.id for thing in person.things}) == 40
    assert len(ids) == len(person.messages)
    assert all(thing.right or thing.stale or thing.absent for thing in person.things)


def _said(content: str) -> Said:
    at = datetime(2026, 3, 2, 9, tzinfo=UTC)
    return Said("c", "m1", "user", content, at, date(2026, 3, 2))
