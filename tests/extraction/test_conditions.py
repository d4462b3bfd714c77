from dataclasses import replace

import pytest

from memoryweb.extraction.conditions import Circumstances, Skip, skip_reason

GOOD = Circumstances(
    auto_summarize=True,
    paused=False,
    ephemeral=False,
    source="api",
    messages=4,
    last_user_message="I moved to Porto.",
    waiting=1,
)


def test_a_conversation_worth_a_look_is_not_skipped() -> None:
    assert skip_reason(GOOD) is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"auto_summarize": False}, Skip.OFF),
        ({"paused": True}, Skip.PAUSED),
        ({"ephemeral": True}, Skip.EPHEMERAL),
        ({"source": "cron"}, Skip.SOURCE),
        ({"source": "dream"}, Skip.SOURCE),
        ({"waiting": 0}, Skip.NOTHING_NEW),
        ({"messages": 3}, Skip.TOO_FEW),
        ({"last_user_message": "  thanks!   "}, Skip.TOO_SHORT),
        ({"last_user_message": ""}, Skip.TOO_SHORT),
    ],
)
def test_each_reason_to_skip(change: dict[str, object], reason: Skip) -> None:
    assert skip_reason(replace(GOOD, **change)) is reason  # type: ignore[arg-type]


@pytest.mark.parametrize("source", ["api", "chat", "import"])
def test_people_s_conversations_are_extracted(source: str) -> None:
    assert skip_reason(replace(GOOD, source=source)) is None


def test_ten_characters_are_enough() -> None:
    assert skip_reason(replace(GOOD, last_user_message="0123456789")) is None
