# ruff: noqa: E501  a pair of statements a line
"""What becomes of an old value when people say a new one, night after night."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta

import pytest

from memoryweb.dreaming.candidates import Mention
from memoryweb.dreaming.operations import Utterance
from tests.dreaming.notes import Night, dreamt, inputs, mention
from tests.tables import every_row

SEED = "# Memory\n"


def live(said: Sequence[tuple[int, str]]) -> list[Night]:
    """A dream in the night after each day on which something was said."""
    places = [mention(text, day, line) for line, (day, text) in enumerate(said, start=3)]
    memory, results = SEED, []
    by: Mapping[str, Utterance] = {}
    for day in sorted({day for day, _ in said}):
        result = _night(memory, by, places, day)
        results.append(result)
        memory, by = result.content, result.said
    return results


def _night(memory: str, by: Mapping[str, Utterance], places: Sequence[Mention], day: int) -> Night:
    now = datetime(2026, 3, day, 2, tzinfo=UTC) + timedelta(days=1)
    first = now.date() - timedelta(days=6)
    read = [one for one in places if first <= one.date <= date(2026, 3, day)]
    return dreamt(inputs(memory, read, said=by, now=now))


def bullets(result: Night) -> list[str]:
    return result.bullets


SHIPPING = [
    (1, "Marta's team ships on Fridays."),
    (6, "Marta's team ships on Thursdays now, never on Fridays."),
    (11, "Marta's team ships on Thursdays, so the code freeze is the day before."),
    (13, "Marta's team ships on Thursdays, please tell the new colleague."),
]


def test_one_current_line_stays_of_all_that_was_said_about_a_day() -> None:
    assert bullets(live(SHIPPING)[-1]) == [SHIPPING[2][1]]


def test_the_same_is_left_when_one_night_reads_it_all() -> None:
    together = [(day, text) for day, (_, text) in enumerate(SHIPPING, start=4)]
    result = live([(7, "Ines plays the violin"), *together])[-1]
    assert [line for line in bullets(result) if "ships" in line] == [SHIPPING[2][1]]


def test_the_old_value_is_told_as_superseded() -> None:
    assert live(SHIPPING)[1].replaced == [
        ("Marta's team ships on Fridays.", "Marta's team ships on Thursdays now, never on Fridays."),
    ]  # fmt: skip


def test_repeating_the_current_value_in_fewer_words_changes_nothing() -> None:
    *_, before, after = live(SHIPPING)
    assert after.content == before.content


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Marta's weekly meeting is on Mondays.", "Marta's weekly meeting moved from Mondays to Wednesdays."),
        ("The stand-up is at 10:00.", "The stand-up has been moved to 11:00."),
        ("Marta's stand-up is at 10 am.", "Marta's stand-up moved to 11:00."),
        ("The weekly meeting is on Mondays at 09:00.", "Marta and others moved the weekly meeting to Tuesdays at 10:00."),
        ("The demo is on 2026-03-12 at 10:00.", "The demo is on 2026-03-19 at 11:00."),
        ("I live in Porto.", "We moved to Faro."),
        ("Marta lives in Gothenburg.", "Marta moved to Malmö."),
        ("Marta lives in Gothenburg.", "Marta has moved from Gothenburg to Malmö."),
        ("Marta lives in Gothenburg.", "Marta moved to Malmö in the week of 2026-03-02."),
        ("Marta's office is in Berlin.", "Marta's office moved to Hamburg."),
        ("Marta's manager is Paul.", "Marta's manager is now Tina instead of Paul."),
        ("Marta works at Hafen Bank.", "Marta now works at Nordea instead of Hafen Bank."),
        ("The CI server is Jenkins.", "The CI server is now Drone instead of Jenkins."),
        ("Marta's favourite tea is Assam.", "Marta's favourite tea is now Sencha."),
        ("Marta's team releases new versions on Fridays.", "Marta's team releases new versions on Mondays from now on."),
        ("Marta他们每周五发布新版本。", "Marta他们现在每周四发布新版本，不再周五发布。"),
        ("周会在星期一。", "周会从星期一改到星期三了。"),
        ("周会在上午十点。", "周会改到上午十一点。"),
        ("Marta住在上海。", "Marta2026年3月从上海搬到了北京。"),
        ("Martaたちは毎週金曜日にリリースします。", "Martaたちは今は毎週木曜日にリリースします。"),
        ("定例会議は月曜日です。", "定例会議は月曜日から水曜日に変わりました。"),
        ("定例会議は10時です。", "定例会議は11時に変更になりました。"),
        ("Martaは東京に住んでいます。", "Martaは横浜に引っ越しました。"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("nights", ["apart", "together"])
def test_a_new_value_takes_the_place_of_the_old_one(old: str, new: str, nights: str) -> None:
    said = [(5, old), (8, new)]
    results = live(said if nights == "apart" else [(4, "Ines plays the violin"), *said])
    final = [line for line in bullets(results[-1]) if "violin" not in line]
    assert final == [new]
    if nights == "apart":
        assert results[-1].replaced == [(old, new)]


@every_row([
        ("Marta's team ships on Fridays.", "Kenji's team ships on Thursdays now."),
        ("The web team ships on Fridays.", "The app team ships on Thursdays now."),
        ("Marta's team ships on Fridays.", "Marta's team meets on Thursdays."),
        ("Marta's team releases the app on Fridays.", "Marta's team releases the newsletter on Mondays."),
        ("The stand-up is at 10:00.", "The stand-up is on Tuesdays."),
        ("The shop opens at 09:00.", "The shop opens at 10:00 on Sundays."),
        ("Marta's team ships on Fridays.", "Marta's team ships on Mondays in August."),
        ("The dinner on 2026-03-12 is at 18:00.", "The dinner on 2026-03-20 is at 19:00."),
        ("Marta lives in Gothenburg.", "Marta moved to Malmö in 2011."),
        ("Marta lives in Gothenburg.", "Kenji moved to Malmö."),
        ("Marta lives in Gothenburg.", "Marta moved to Marketing."),
        ("Marta's weekly meeting is on Mondays.", "The weekly meeting moved from Mondays to Wednesdays."),
        ("Marta visited Porto.", "Marta moved from Porto to Lisbon."),
        ("Tom walked the dog.", "Tom has a cat, not a dog."),
        ("Marta went to Porto on 2026-03-01.", "Marta went to Faro on 2026-03-07, not to Porto."),
        ("Marta's daughter is Elin.", "Marta's manager is Tina."),
        ("Marta他们每周五发布新版本。", "Kenji他们现在每周四发布新版本。"),
        ("Marta住在上海。", "Kenji搬到了北京。"),
        ("Kenji lives in Yokohama.", "Kenjiは横浜に住んでいます。"),
        ("定例会議は10時です。", "飲み会は11時に変更になりました。"),
    ])  # fmt: skip
def test_what_is_no_contradiction_leaves_both(one: str, other: str) -> None:
    result = live([(5, one), (8, other)])[-1]
    assert set(bullets(result)) == {one, other}
    assert result.disputed == []


def test_a_later_value_leaves_none_of_the_old_one_beside_it() -> None:
    old = "Marta lives in Gothenburg with her husband Jonas."
    new = "Marta moved to Malmö."
    result = live([(5, old), (8, new)])[-1]
    assert bullets(result) == [new]
    assert result.replaced == [(old, new)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My daily medicine is an inhaler every morning.", "I stopped smoking but I used my inhaler this morning."),
        ("We have a Netflix and a Spotify subscription.", "We cancelled our Netflix subscription."),
        ("I have a blue bike.", "The dentist appointment is cancelled, and I used the blue bike."),
    ],
)  # fmt: skip
def test_what_ends_takes_nothing_else_along(old: str, new: str) -> None:
    assert any(old in line for line in bullets(live([(1, f"Remember: {old}"), (6, new)])[-1]))
