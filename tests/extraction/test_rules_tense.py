"""Bare weekdays look the way their verb does."""

from datetime import UTC, datetime

import pytest

from memoryweb.extraction.rules.cjk_dates import resolve_chinese, resolve_japanese
from memoryweb.extraction.rules.dates import resolve
from tests.extraction.rules_talk import said

AT = datetime(2026, 11, 18, 14, 30, tzinfo=UTC)  # a Wednesday

BACK = [
    "The parcel arrived {}",
    "We got the keys {}",
    "The parcel has arrived {}",
    "They were closed {}",
    "The office was flooded {}",
    "She told me {}",
    "I had to work {}",
    "The parcel that came {} is broken",
    "It broke {}, but the shop repairs it",
    "{}, the lift stopped",
    "I left the old flat {} because it was damp",
]
AHEAD = [
    "The course starts {}",
    "I leave {}",
    "The help desk is switched off {}",
    "The lift will be repaired {}",
    "We are meeting the landlord {}",
    "The demo is {}",
    "He is back {}",
    "I hired a cook, she starts {}",
    "They told me that the lift stops {}",
    "We decided to move {}",
    "I have to renew it {}",
    "{}, we open the terrace",
    "I want to sell the boat {}",
]
DATES = [
    ("on Tuesday", "on 2026-11-17", "on 2026-11-24"),
    ("on Wednesday", "on 2026-11-11", "on 2026-11-25"),
    ("on Friday", "on 2026-11-13", "on 2026-11-20"),
]


@pytest.mark.parametrize("sentence", BACK)
@pytest.mark.parametrize(("phrase", "back", "ahead"), DATES)
def test_the_past_tense_looks_back(sentence: str, phrase: str, back: str, ahead: str) -> None:
    found = resolve(sentence.format(phrase), AT).text
    assert found == sentence.format(back)


@pytest.mark.parametrize("sentence", AHEAD)
@pytest.mark.parametrize(("phrase", "back", "ahead"), DATES)
def test_present_and_future_look_ahead(sentence: str, phrase: str, back: str, ahead: str) -> None:
    found = resolve(sentence.format(phrase), AT).text
    assert found == sentence.format(ahead)


@pytest.mark.parametrize(
    ("phrase", "nearest"),
    [
        ("The dinner on Friday", "The dinner on 2026-11-20"),
        ("The dinner on Monday", "The dinner on 2026-11-16"),
    ],
)
def test_where_no_verb_tells_the_nearest_date_is_meant(phrase: str, nearest: str) -> None:
    assert resolve(phrase, AT).text == nearest


def test_each_date_follows_the_verb_of_its_own_clause() -> None:
    text = "The first box arrived on Tuesday, the second comes on Tuesday"
    assert resolve(text, AT).text == (
        "The first box arrived on 2026-11-17, the second comes on 2026-11-24"
    )


@pytest.mark.parametrize(
    ("text", "dated"),
    [
        ("We moved the launch on Monday", "We moved the launch on 2026-11-16"),
        ("We moved the launch to Monday", "We moved the launch to 2026-11-23"),
        ("I booked a table for Friday", "I booked a table for 2026-11-20"),
    ],
)
def test_the_preposition_counts_too(text: str, dated: str) -> None:
    assert resolve(text, AT).text == dated


@pytest.mark.parametrize(
    "habit",
    [
        "I always need the figures on Monday evening",
        "We usually meet on Thursday at 10:00",
        "The bins are emptied every Wednesday at 06:30",
        "I never take calls on Friday afternoon",
        "They play football each Sunday",
        "Twice a week, on Monday and Thursday, I swim",
        "The report goes out every year on 3 May",
        "The shop is open from Monday to Friday",
    ],
)
def test_a_habit_keeps_its_weekday_and_its_time(habit: str) -> None:
    assert resolve(habit, AT).text == habit


def test_a_habit_in_one_clause_does_not_touch_the_date_of_another() -> None:
    text = "I swim every Monday, but I travel on Friday"
    assert resolve(text, AT).text == "I swim every Monday, but I travel on 2026-11-20"


@pytest.mark.parametrize(
    ("sentence", "line"),
    [
        ("My son Nils has his birthday on 9 March.", "Ada's son Nils has his birthday on 9 March."),
        ("Our wedding anniversary is on June 21st.", "Ada's wedding anniversary is on June 21st."),
        ("My mother was born on 2 May.", "Ada's mother was born on 2 May."),
    ],
)
def test_a_yearly_day_keeps_month_and_day_without_a_year(sentence: str, line: str) -> None:
    assert said(sentence, AT) == [line]


def test_one_birthday_party_is_told_as_well() -> None:
    assert said("We celebrated my birthday on 9 March with a picnic.", AT) == [
        "Ada and others celebrated their birthday on 9 March with a picnic."
    ]


@pytest.mark.parametrize(
    ("text", "dated"),
    [
        ("We close on 25 and 26 December 2026", "We close on 2026-12-25 and 2026-12-26"),
        ("We meet Ola on Monday and Tuesday", "We meet Ola on 2026-11-23 and 2026-11-24"),
        ("I will be away from Monday to Thursday", "I will be away from 2026-11-23 to 2026-11-26"),
    ],
)
def test_several_dates_said_as_one(text: str, dated: str) -> None:
    assert resolve(text, AT).text == dated


def test_the_till_of_a_shop_is_no_preposition() -> None:
    assert said("I want to buy a second till next month.", AT) == [
        "Ada wants to buy a second till in December 2026."
    ]


@pytest.mark.parametrize(
    ("text", "dated"),
    [
        ("周二快递到了", "2026-11-17快递到了"),
        ("课程周二开始", "课程2026-11-24开始"),
        ("我买了票，周五出发", "我买了票，2026-11-20出发"),
        ("我的生日是3月9日", "我的生日是3月9日"),
        ("我总是周一需要名单", "我总是周一需要名单"),
    ],
)
def test_chinese_dates_follow_the_verb(text: str, dated: str) -> None:
    assert resolve_chinese(text, AT).text == dated


@pytest.mark.parametrize(
    ("text", "dated"),
    [
        ("火曜日に届きました", "2026-11-17に届きました"),
        ("火曜日に始まります", "2026-11-24に始まります"),
        ("切符を買いましたが、金曜日に出発します", "切符を買いましたが、2026-11-20に出発します"),
        ("誕生日は3月9日です", "誕生日は3月9日です"),
        ("毎週金曜日に会議があります", "毎週金曜日に会議があります"),
        ("いつも月曜日に買い物をします", "いつも月曜日に買い物をします"),
    ],
)
def test_japanese_dates_follow_the_verb(text: str, dated: str) -> None:
    assert resolve_japanese(text, AT).text == dated


@pytest.mark.parametrize(
    ("text", "dated"),
    [
        ("I was at the dentist's on Monday", "I was at the dentist's on 2026-11-16"),
        ("I have an appointment on Friday", "I have an appointment on 2026-11-20"),
        ("I bought tickets for a play on Friday", "I bought tickets for a play on 2026-11-20"),
    ],
)
def test_verbs_that_look_like_others(text: str, dated: str) -> None:
    assert resolve(text, AT).text == dated
