"""What somebody tells an assistant of themselves is kept, also without the "I"."""

from datetime import UTC, datetime

import pytest

from memoryweb.extraction.rules_extractor import Utterance, extract

AT = datetime(2031, 3, 8, 12, tzinfo=UTC)


def is_durable(said: str, *, in_room: bool = False) -> bool:
    lines = extract([Utterance("1", "user", "Ines", said, AT, in_room)])
    return any(line.durable for line in lines)


OWN = [
    "Dentist is Dr. Lam now",
    "Got a new dentist, Dr. Lam",
    "Got a Pixel 7, works fine",
    "Getting married in August, to Femi",
    "registered nurse, nights, orthopaedics",
    "on the tills at Lidl, 24 hours a week",
    "Learning Korean with a tutor on italki",
    "Paying 640 a month for the flat",
    "My shift starts at 6 at the warehouse",
    "My mum's got her own place in Leeds",
    "Every Tuesday I take Grandad to dialysis",
    "Our old mare Clover is stabled at Birchwood",
    "I've been with Teo for almost six years.",
    "I've had glaucoma for six years now, drops every night.",
]


@pytest.mark.parametrize("said", OWN)
def test_a_statement_of_ones_own_with_a_value_lasts(said: str) -> None:
    assert is_durable(said)


@pytest.mark.parametrize("said", OWN)
def test_between_friends_it_does_not(said: str) -> None:
    assert not is_durable(said, in_room=True)


@pytest.mark.parametrize(
    "said",
    [
        "Paying 840 atm.",
        "Camping at my sister's in Gaia till then",
        "Having a rubbish day",
        "I'm writing an essay on Napoleon for my blog",
        "Trying to fix a bug in Django 4.2",
        "Making lasagne for six people tonight",
        "Learning about the Tudors in 5 minutes please",
        "Paying by Visa or PayPal, which is safer",
        "I love how Paris looks in spring",
        "Every time I open Firefox it crashes",
        "My hypothesis is that Napoleon had 3 doubles",
        "Nurse in the ad, what does she hold",
        "Maybe I'd move to Oslo in May",
        "Got it, thanks",
    ],
)
def test_what_is_of_the_moment_or_of_the_work_at_hand_does_not(said: str) -> None:
    assert not is_durable(said)
