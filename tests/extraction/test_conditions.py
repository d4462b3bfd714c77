from datetime import UTC, datetime

import pytest

from memoryweb.agents.models import Agent, Owner
from memoryweb.extraction.requests import Skip, skip_reason
from memoryweb.memory.models import Conversation


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
    assert skip_reason(talk()) is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"agent__archived_at": datetime(2026, 3, 1, tzinfo=UTC)}, Skip.ARCHIVED),
        ({"agent__auto_summarize": False}, Skip.OFF),
        ({"owner__keeping": False}, Skip.PAUSED),
        ({"ephemeral": True}, Skip.EPHEMERAL),
        ({"source": "cron"}, Skip.SOURCE),
        ({"source": "dream"}, Skip.SOURCE),
        ({"extracted_upto": 4}, Skip.NOTHING_NEW),
    ],
)
def test_each_reason_to_skip(change: dict[str, object], reason: Skip) -> None:
    assert skip_reason(talk(**change)) is reason


@pytest.mark.parametrize("source", ["api", "chat", "import", "mem0"])
def test_people_s_conversations_are_extracted(source: str) -> None:
    assert skip_reason(talk(source=source)) is None


def test_one_message_is_enough() -> None:
    assert skip_reason(talk(message_count=1, extracted_upto=0)) is None
