"""Which two sentences can't both be true, where no attribute is known: those about one thing that
differ in a number or a place, and no others."""

import pytest

from memoryweb.language.single_values import tells_otherwise
from tests.tables import every_row


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The printer is in room 4.", "The printer is in room 7."),
        ("the spare key is in locker 12", "The spare key is in locker 14!"),
        ("Our support line is extension 204.", "Our support line is extension 209."),
        ("The limit is 40 requests a minute.", "The limit is 60 requests a minute."),
        ("The archive is in Leeds.", "The archive is now in York."),
        ("The archive is in New York.", "The archive is in Leeds."),
        ("Der Drucker steht in Raum 4.", "Der Drucker steht in Raum 7."),
        ("Unser Lager liegt in Kiel.", "Unser Lager liegt jetzt in Essen."),
    ],
)
def test_these_disagree(one: str, other: str) -> None:
    assert tells_otherwise(one, other)
    assert tells_otherwise(other, one)
    assert not tells_otherwise(one, one)


@every_row(
    [
        ("I was in Paris.", "I was in Rome."),
        ("The team was in Paris.", "The team was in Rome."),
        ("Nora visited Paris.", "Nora visited Rome."),
        ("A printer is in room 4.", "A printer is in room 7."),
        ("There is a printer in room 4.", "There is a printer in room 7."),
        ("Printers are in room 4.", "Printers are in room 7."),
        ("The first printer is in room 4.", "The first printer is in room 7."),
        ("The big printer is in room 4.", "The small printer is in room 7."),
        ("Printer 1 is in room 4.", "Printer 2 is in room 7."),
        ("The printer 1 is in room 4.", "The printer 2 is in room 7."),
        ("The next meeting is in room 4.", "The next meeting is in room 7."),
        ("The customer is Acme.", "The customer is Bolt."),
        ("The printer is in room 4, or 7.", "The printer is in room 5, or 7."),
        ("The printer is in room 4.", "The printer is in use."),
    ]
)
def test_both_of_these_may_be_true(one: str, other: str) -> None:
    assert not tells_otherwise(one, other)
