"""Short ways to write a conversation for the tests of the rules extractor."""

from datetime import UTC, datetime

from memoryweb.extraction.rules_extractor import NoteLine, Utterance, extract

WEDNESDAY = datetime(2024, 5, 8, 9, 0, tzinfo=UTC)


def window(*turns: tuple[str, str], at: datetime = WEDNESDAY) -> list[Utterance]:
    """Turns are (who, what): "user" and "assistant" have no name, anybody else is a named user."""
    roles = {"user", "assistant", "system", "tool"}
    is_room = len({who for who, _what in turns} - roles) > 1
    return [
        Utterance(
            f"m{n}", who if who in roles else "user", "" if who in roles else who, what, at, is_room
        )
        for n, (who, what) in enumerate(turns, start=1)
    ]


def notes(
    *turns: tuple[str, str], at: datetime = WEDNESDAY, speaker: str = "", shared: bool = False
) -> list[NoteLine]:
    return extract(window(*turns, at=at), speaker=speaker, shared=shared)


def texts(*turns: tuple[str, str], at: datetime = WEDNESDAY) -> list[str]:
    return [line.text for line in notes(*turns, at=at)]


def said(text: str, at: datetime = WEDNESDAY) -> list[str]:
    """What is noted when somebody says one thing to the assistant."""
    return texts(("user", text), ("assistant", "I see."), at=at)


def durable(text: str, at: datetime = WEDNESDAY) -> list[str]:
    """What of it is worth more than the day's note."""
    talk = notes(("user", text), ("assistant", "I see."), at=at)
    return [line.text for line in talk if line.durable]
