"""What ends with its day, what lasts from it on, and which words are a date at all."""

from datetime import date

import pytest

from memoryweb.language.extraction_rules import claim_of, resolved
from tests.pace import assert_linear

SAID = date(2026, 3, 5)  # a Thursday


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Starting at Tideway Bank on the 19th.", date(2026, 3, 19)),
        ("I start at Halden Optics on the 26th as a lens technician.", date(2026, 3, 26)),
        ("I'm moving to Porto on 3 May.", date(2026, 5, 3)),
        ("We pick up the keys on April 1st!", date(2026, 4, 1)),
        ("I join Novartis on 1 June.", date(2026, 6, 1)),
        ("Emeka starts nursery at Little Acorns on 7 April.", date(2026, 4, 7)),
        ("The course starts on March 20.", date(2026, 3, 20)),
        ("Rent goes up to 890 from 1 June.", date(2026, 6, 1)),
        ("Ich fange am 1. April bei Bosch an.", date(2026, 4, 1)),
        ("Ich ziehe am 1. April nach Graz.", date(2026, 4, 1)),
        ("4月1日から青葉電機で働きます。", date(2026, 4, 1)),
        ("4月1日に京都に引っ越します。", date(2026, 4, 1)),
        ("我4月1日入职腾讯。", date(2026, 4, 1)),
        ("4月10日搬到深圳。", date(2026, 4, 10)),
    ],
)
def test_what_begins_lasts_from_its_day_on(text: str, day: date) -> None:
    found = claim_of(text, SAID)
    assert (found.valid_from, found.valid_to) == (day, None)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Our wedding is on 3 May.", date(2026, 5, 3)),
        ("The meeting starts at 10 on 3 May.", date(2026, 5, 3)),
        ("My dentist appointment moved to 3 May.", date(2026, 5, 3)),
        ("They moved our standup to 3 May.", date(2026, 5, 3)),
        ("My birthday party is on 3 May.", date(2026, 5, 3)),
        ("We're in Chania 12 to 19 May.", date(2026, 5, 19)),
        ("I have to hand in the report by 31 March.", date(2026, 3, 31)),
        ("Eye clinic on Wednesday (2026-03-11) 10:15.", date(2026, 3, 11)),
        ("I'm on nights until the 23rd.", date(2026, 3, 23)),
        ("We leave on 3 May.", date(2026, 5, 3)),
        ("I've got the midterm on 3 May.", date(2026, 5, 3)),
        ("Mein MRT ist am 12. Mai.", date(2026, 5, 12)),
        ("Am 3. Mai beginnt das Meeting um 10 Uhr.", date(2026, 5, 3)),
        ("4月3日に会議があります。", date(2026, 4, 3)),
        ("4月3日要开会。", date(2026, 4, 3)),
    ],
)
def test_what_ends_by_itself_is_over_after_its_day(text: str, day: date) -> None:
    assert claim_of(text, SAID).valid_to == day


@pytest.mark.parametrize(
    "text",
    [
        "My birthday is on 3 May.",
        "My nephew Tomasz turns 7 on the 3rd of May.",
        "Our wedding anniversary is on 3 May.",
        "Mein Geburtstag ist am 3. Mai.",
        "誕生日は5月3日です。",
        "我生日是5月3日。",
        "I work Tuesday to Thursday.",
        "Signed up for Janine's class today (2026-03-05), Tuesdays and Thursdays half six.",
        "I'll paint the fence on 3 May.",
        "I'm a vet and my exam is on 3 May.",
        "I'm a vet. My exam is on 3 May.",
    ],
)
def test_what_comes_again_or_is_not_understood_has_no_end(text: str) -> None:
    found = claim_of(text, SAID)
    assert (found.durable, found.valid_to) == (True, None)


@pytest.mark.parametrize(
    "text",
    [
        "The sun was out.",
        "We watched the last sun.",
        "I sat with her, and we sat down at 5 Mill Lane.",
        "We wed in Leeds.",
        "mon ami came to see me",
        "All 5 may come.",
        "I march 10 miles a day.",
        "I may 10 times a day.",
        "Just a second, I'm second.",
        "So, mo und di und mi.",
        "Monday the 5th was said to be good.",
        "Ich jogge jeden morgen.",
        "I'm in Tuesday to Thursday.",
        "gym's mon/wed/fri",
        "Ich bin Dienstag bis Donnerstag im Büro.",
    ],
)
@pytest.mark.parametrize("ahead", [True, False])
def test_a_word_that_is_no_date_gets_none(text: str, ahead: bool) -> None:
    assert resolved(text, SAID, ahead=ahead) == text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("The exam is on Sat.", "The exam is on Sat (2026-03-07)."),
        ("The exam is Sun 10am.", "The exam is Sun (2026-03-08) 10am."),
        ("party this sat, yay", "party this sat (2026-03-07), yay"),
        ("My exam is on 5 may.", "My exam is on 5 may (2026-05-05)."),
        ("It's on Wednesday 10:15.", "It's on Wednesday (2026-03-11) 10:15."),
        ("It's on Wednesday 11 March.", "It's on Wednesday 11 March (2026-03-11)."),
        ("Clinic on Friday and I always forget it.",
         "Clinic on Friday (2026-03-06) and I always forget it."),
    ],
)  # fmt: skip
def test_a_short_word_is_a_date_by_a_sign_of_one(text: str, line: str) -> None:
    assert resolved(text, SAID, ahead=True) == line


@pytest.mark.parametrize(
    "unit", ["on 3 May, ", "meeting ", "sat ", "mon/", "the 5th and ", "3月5日に会議、"]
)
def test_time_grows_with_length_only(unit: str) -> None:
    assert_linear(lambda text: resolved(text, SAID, ahead=True), lambda n: unit * n, least=16)
