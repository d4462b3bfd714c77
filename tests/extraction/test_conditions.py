from datetime import UTC, datetime

import pytest

from memoryweb.agents.models import Agent, Owner
from memoryweb.extraction.requests import Skip, skip_reason
from memoryweb.memory.models import Conversation

SAID = "I moved to Porto."


def talk(**changes: object) -> Conversation:
    talked = Conversation(
        agent=Agent(auto_summarize=True), owner=Owner(), source="api", message_count=4
    )
    talked.extracted_upto = 3
    for name, value in changes.items():
        *parents, field = name.split("__")
        setattr(getattr(talked, parents[0]) if parents else talked, field, value)
    return talked


def test_a_conversation_worth_a_look_is_not_skipped() -> None:
    assert skip_reason(talk(), SAID) is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"agent__archived_at": datetime(2026, 3, 1, tzinfo=UTC)}, Skip.ARCHIVED),
        ({"agent__auto_summarize": False}, Skip.OFF),
        ({"owner__paused": True}, Skip.PAUSED),
        ({"ephemeral": True}, Skip.EPHEMERAL),
        ({"source": "cron"}, Skip.SOURCE),
        ({"source": "dream"}, Skip.SOURCE),
        ({"extracted_upto": 4}, Skip.NOTHING_NEW),
        ({"message_count": 3, "extracted_upto": 2}, Skip.TOO_FEW),
    ],
)
def test_each_reason_to_skip(change: dict[str, object], reason: Skip) -> None:
    assert skip_reason(talk(**change), SAID) is reason


@pytest.mark.parametrize("said", ["  thanks!   ", ""])
def test_a_short_last_message_says_too_little(said: str) -> None:
    assert skip_reason(talk(), said) is Skip.TOO_SHORT


@pytest.mark.parametrize("source", ["api", "chat", "import"])
def test_people_s_conversations_are_extracted(source: str) -> None:
    assert skip_reason(talk(source=source), SAID) is None


def test_ten_characters_are_enough() -> None:
    assert skip_reason(talk(), "0123456789") is None
