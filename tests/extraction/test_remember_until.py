"""Until when somebody says that something shall be remembered."""

from datetime import date, timedelta

import pytest

from memoryweb.language.extraction_rules import claim_of, last_day
from memoryweb.language.forget_requests import forgets
from memoryweb.memory.models import Fact
from tests.dreaming.nights import NIGHT, dream, text_of
from tests.extraction.rules_talk import WEDNESDAY, durable
from tests.extraction.talking import NOON, extract, talk
from tests.world import World

SAID = (  # on Wednesday, 2024-05-08
    ("Remember until Friday that the spare key is with Jo.", "2024-05-10"),
    ("Please remember until June 3 that bay 4 is mine.", "2024-06-03"),
    ("I'm at my sister's in Leeds, only until the end of June.", "2024-06-30"),
    ("My locker is number 417. Forget this after the trip on 3 June.", "2024-06-03"),
    ("Merk dir bis Freitag, dass der Schlüssel bei Jo liegt.", "2024-05-10"),
    ("Merk dir nur bis Ende Juni: ich parke auf Platz 4.", "2024-06-30"),
    ("Mein Spind ist die 417. Vergiss das nach dem 3. Juni.", "2024-06-03"),
    ("请记住到6月3日为止我的车位是4号。", "2024-06-03"),
    ("我的车位是4号。6月3日以后请忘掉这件事。", "2024-06-03"),
    ("駐車場は4番です。6月3日を過ぎたら忘れてください。", "2024-06-03"),
    ("駐車場は6月末まで4番です。覚えておいて。", "2024-06-30"),
)


@pytest.mark.parametrize(("text", "day"), SAID, ids=[text for text, _day in SAID])
def test_it_is_one_lasting_line_with_its_last_day(text: str, day: str) -> None:
    [line] = durable(text)
    assert claim_of(line).valid_to == date.fromisoformat(day)


@pytest.mark.parametrize(
    "text",
    [
        "I remember that we stayed until Friday.",
        "I keep bees until the end of my days.",
        "We forgot the key after the party on 3 June.",
        "Remember that the spare key is with Jo.",
    ],
)
def test_other_sentences_have_no_last_day(text: str) -> None:
    assert last_day(text, WEDNESDAY.date()) is None


@pytest.mark.parametrize(
    "text", ["Forget my address after June 3.", "Bitte vergiss nach dem 3. Juni meine Adresse."]
)
def test_a_wish_for_later_hides_nothing_now(text: str) -> None:
    assert not any(one.is_sure for one in forgets(text))


def test_what_was_said_leaves_memory_after_its_day(world: World) -> None:
    at = NOON.replace(year=NIGHT.year, month=NIGHT.month, day=NIGHT.day - 1)
    wish = "My locker is number 417. Forget this after the trip on 24 November."
    extract(world, talk(world, [("user", wish), ("assistant", "I will.")], at=at, name=""))
    dream(world, world.customer)
    assert "417" in text_of(world, world.customer)
    fact = Fact.objects.get(raw_text__contains="417")
    assert str(fact.valid_to) == str(fact.remembered_until) == "2026-11-24"
    dream(world, world.customer, date(2026, 11, 24))
    assert "417" in text_of(world, world.customer)
    dream(world, world.customer, date(2026, 11, 24) + timedelta(days=1))
    assert "417" not in text_of(world, world.customer)
