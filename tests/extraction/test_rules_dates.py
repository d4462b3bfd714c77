from datetime import UTC, datetime

import pytest

from memoryweb.extraction.rules.cjk_dates import resolve_chinese, resolve_japanese
from memoryweb.extraction.rules.dates import resolve
from tests.extraction.rules_talk import WEDNESDAY, said


@pytest.mark.parametrize(
    ("phrase", "absolute"),
    [
        ("yesterday", "on 2024-05-07"),
        ("last night", "on 2024-05-07"),
        ("the day before yesterday", "on 2024-05-06"),
        ("two days ago", "on 2024-05-06"),
        ("last Friday", "on 2024-05-03"),
        ("last Fri", "on 2024-05-03"),
        ("last Wednesday", "on 2024-05-01"),
        ("on Monday", "on 2024-05-06"),
        ("last week", "in the week of 2024-04-29"),
        ("this week", "in the week of 2024-05-06"),
        ("three weeks ago", "in the week of 2024-04-15"),
        ("last weekend", "on the weekend of 2024-05-04"),
        ("two weekends ago", "on the weekend of 2024-04-27"),
        ("last month", "in April 2024"),
        ("four months ago", "in January 2024"),
        ("last year", "in 2023"),
        ("10 years ago", "in 2014"),
        ("about five years ago", "around 2019"),
        ("a few weeks ago", "a few weeks before 2024-05-08"),
        ("a few years ago", "a few years before 2024"),
        ("the other day", "a few days before 2024-05-08"),
        ("last summer", "in summer 2023"),
        ("on 3 March 2021", "on 2021-03-03"),
        ("last March", "in March 2024"),
        ("since last year", "since 2023"),
    ],
)
def test_what_was_is_dated_back_from_the_message(phrase: str, absolute: str) -> None:
    assert resolve(f"I sailed {phrase}", WEDNESDAY, future=False).text == f"I sailed {absolute}"


@pytest.mark.parametrize(
    ("phrase", "absolute"),
    [
        ("tomorrow", "on 2024-05-09"),
        ("the day after tomorrow", "on 2024-05-10"),
        ("next Friday", "on 2024-05-17"),
        ("this Friday", "on 2024-05-10"),
        ("on Monday", "on 2024-05-13"),
        ("by Monday", "by 2024-05-13"),
        ("next week", "in the week of 2024-05-13"),
        ("this weekend", "on the weekend of 2024-05-11"),
        ("next month", "in June 2024"),
        ("next year", "in 2025"),
        ("in two weeks", "in the week of 2024-05-20"),
    ],
)
def test_what_will_be_is_dated_ahead(phrase: str, absolute: str) -> None:
    assert (
        resolve(f"I will sail {phrase}", WEDNESDAY, future=True).text == f"I will sail {absolute}"
    )


@pytest.mark.parametrize(
    "phrase",
    ["on Fridays", "every Friday", "one may hope", "sat down", "on 31 February", "march on"],
)
def test_what_is_no_date_is_left_alone(phrase: str) -> None:
    assert resolve(f"They {phrase}", WEDNESDAY, future=False).text == f"They {phrase}"


def test_the_edge_of_the_calendar_is_left_alone() -> None:
    start = datetime(1, 1, 1, tzinfo=UTC)
    assert resolve("I sailed yesterday", start, future=False).text == "I sailed yesterday"


def test_the_date_is_that_of_the_message_in_utc() -> None:
    new_year = datetime(2024, 1, 1, 0, 30, tzinfo=UTC)
    assert said("I bought a piano yesterday.", new_year) == ["Ada bought a piano on 2023-12-31."]


def test_what_just_happened_carries_the_date_of_the_message() -> None:
    assert said("I just finished my thesis.") == ["Ada finished their thesis (around 2024-05-08)."]


def test_what_is_under_way_says_since_when_it_is_known() -> None:
    assert said("I'm looking for a flat in Genoa.") == [
        "Ada is looking for a flat in Genoa (as of May 2024)."
    ]


def test_a_booking_made_looks_ahead() -> None:
    assert said("I signed up for a marathon on Friday.") == [
        "Ada signed up for a marathon on 2024-05-10."
    ]


@pytest.mark.parametrize(
    ("phrase", "absolute"),
    [
        ("昨天", "2024-05-07"),
        ("后天", "2024-05-10"),
        ("上周五", "2024-05-03"),
        ("下周五", "2024-05-17"),
        ("这个星期天", "2024-05-12"),
        ("三天前", "2024-05-05"),
        ("上个月", "2024年4月"),
        ("去年", "2023年"),
        ("上周末", "2024-05-04的周末"),
        ("2024年3月5日", "2024-03-05"),
    ],
)
def test_chinese_dates(phrase: str, absolute: str) -> None:
    assert resolve_chinese(f"我{phrase}去了", WEDNESDAY, future=False).text == f"我{absolute}去了"


@pytest.mark.parametrize(
    ("phrase", "absolute"),
    [
        ("昨日", "2024-05-07"),
        ("明後日", "2024-05-10"),
        ("先週の金曜日", "2024-05-03"),
        ("来週の金曜日", "2024-05-17"),
        ("来月", "2024年6月"),
        ("先週", "2024-04-29の週"),
        ("三日前", "2024-05-05"),
        ("去年", "2023年"),
        ("2024年6月3日", "2024-06-03"),
    ],
)
def test_japanese_dates(phrase: str, absolute: str) -> None:
    assert resolve_japanese(f"{phrase}に行く", WEDNESDAY, future=True).text == f"{absolute}に行く"


def test_every_week_stays_every_week() -> None:
    assert resolve_chinese("每周五发布", WEDNESDAY, future=True).text == "每周五发布"
    assert (
        resolve_japanese("毎週金曜日にリリース", WEDNESDAY, future=True).text
        == "毎週金曜日にリリース"
    )
