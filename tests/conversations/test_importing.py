import json
from typing import Any

import pytest

from memoryweb.memory.conversations.parsing import batches, check
from memoryweb.memory.models.refusals import BatchRefused


def line(conversation: str = "c1", **fields: Any) -> bytes:
    value = {"conversation": conversation, "role": "user", "content": "I moved."} | fields
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


def refusal(*lines: bytes) -> BatchRefused:
    with pytest.raises(BatchRefused) as caught:
        check(lines)
    return caught.value


def test_conversations_come_in_the_order_in_which_they_begin_each_in_its_own() -> None:
    lines = [line("b", id="1"), line("a", id="1"), line("b", id="2")]
    found = [(name, [m.id for m in messages]) for name, messages in batches(lines)]
    assert found == [("b", ["1", "2"]), ("a", ["1"])]


def test_a_long_file_comes_in_batches() -> None:
    lines = (line("c", id=str(number)) for number in range(2500))
    sizes = [len(messages) for _name, messages in batches(lines)]
    assert sizes == [1000, 1000, 500]


def test_blank_lines_and_a_byte_order_mark_are_passed_over() -> None:
    assert check([b"\xef\xbb\xbf" + line(), b"\n", b"  \r\n", line()]) == 2


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        (b"{", "line 2"),
        (b"[]", "line 2"),
        (b'"\xff"', "line 2"),
        (b"[" * 100_000, "line 2"),
        (line(role="boss"), "line 2.role"),
        (line(conversation=""), "line 2.conversation"),
        (b'{"role": "user", "content": "x"}', "line 2.conversation"),
        (line(timestamp="soon"), "line 2.timestamp"),
        (line(content="a\0b"), "line 2.content"),
    ],
)
def test_what_cannot_be_taken_is_named_by_its_line(bad: bytes, field: str) -> None:
    found = refusal(line(), bad)
    assert found.field == field
    assert found.message


def test_an_id_twice_in_a_conversation_is_named_with_both_lines() -> None:
    found = refusal(line("c", id="1"), line("d", id="1"), line("c", id="1"))
    assert found.field == "line 3.id"
    assert "1" in found.message


def test_an_empty_file_is_refused() -> None:
    assert refusal(b"\n").field == "file"


def test_a_message_without_a_time_was_said_with_the_one_before_of_its_conversation() -> None:
    dated = line("c", timestamp="2024-03-15T10:00:00Z")
    lines = [dated, line("d"), *[line("c")] * 1500]
    moments = {
        (name, message.timestamp and message.timestamp.year)
        for name, messages in batches(lines)
        for message in messages
    }
    assert moments == {("c", 2024), ("d", None)}
