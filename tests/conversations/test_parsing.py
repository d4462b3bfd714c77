from datetime import UTC, datetime
from typing import Any

import pytest

from memoryweb.memory.conversations import parsing
from memoryweb.memory.conversations.parsing import parse_batch
from memoryweb.memory.models.refusals import BatchRefused


def said(**fields: Any) -> dict[str, Any]:
    return {"role": "user", "content": "I moved to Lisbon."} | fields


def refusal(body: Any) -> BatchRefused:
    with pytest.raises(BatchRefused) as caught:
        parse_batch(body)
    return caught.value


def of_message(**fields: Any) -> BatchRefused:
    return refusal({"messages": [said(), said(**fields)]})


def test_a_message_is_taken_with_all_its_fields() -> None:
    batch = parse_batch(
        {
            "messages": [
                said(
                    id="a-1",
                    role="assistant",
                    name="  Ann   Lee ",
                    timestamp="2026-03-01T10:30:00+02:00",
                    toolsUsed=["memory_search"],
                )
            ],
            "source": "chat",
            "group": True,
            "ephemeral": True,
            "finished": True,
        }
    )
    assert batch == parsing.Batch(
        (
            parsing.NewMessage(
                "assistant",
                "I moved to Lisbon.",
                "a-1",
                "Ann Lee",
                datetime(2026, 3, 1, 8, 30, tzinfo=UTC),
                ("memory_search",),
            ),
        ),
        source="chat",
        group=True,
        ephemeral=True,
        finished=True,
    )


@pytest.mark.parametrize("messages", [None, "hi", {}, 5])
def test_messages_must_be_a_list(messages: Any) -> None:
    assert refusal({"messages": messages}).field == "messages"


def test_no_messages_are_refused() -> None:
    found = refusal({"messages": []})
    assert (found.field, found.code) == ("messages", "invalid")


def test_a_thousand_messages_are_taken_and_one_more_is_too_much() -> None:
    assert len(parse_batch({"messages": [said()] * 1000}).messages) == 1000
    found = refusal({"messages": [said()] * 1001})
    assert (found.field, found.code) == ("messages", "too_large")
    assert "1001" in found.message


def test_a_message_of_256_kib_is_taken_and_a_byte_more_is_too_much() -> None:
    limit = 256 * 1024
    assert parse_batch({"messages": [said(content="ü" * (limit // 2))]}).messages
    found = of_message(content="ü" * (limit // 2) + "x")
    assert (found.field, found.code) == ("messages[1].content", "too_large")


def test_eight_mebibytes_are_taken_and_more_is_too_much() -> None:
    whole = [said(content="x" * 256 * 1024)] * 32
    assert len(parse_batch({"messages": whole}).messages) == 32
    found = refusal({"messages": [*whole, said(content="x")]})
    assert (found.field, found.code) == ("messages", "too_large")


@pytest.mark.parametrize("role", [None, "", "User", "human", 3, [], {}])
def test_an_unknown_role_is_named(role: Any) -> None:
    found = of_message(role=role)
    assert (found.field, found.code) == ("messages[1].role", "invalid")
    assert "assistant" in found.message


@pytest.mark.parametrize(
    "content", [None, 7, ["x"], {"text": "x"}, "a\0b", "half \ud83d", "", " \n"]
)
def test_content_that_is_no_text_is_named(content: Any) -> None:
    found = of_message(content=content)
    assert (found.field, found.code) == ("messages[1].content", "invalid")


@pytest.mark.parametrize(
    "fields", [{"role": "assistant"}, {"role": "tool"}, {"role": "user", "toolsUsed": ["ask"]}]
)
def test_a_turn_that_consists_of_tools_may_be_blank(fields: Any) -> None:
    assert parse_batch({"messages": [said(content="") | fields]}).messages[0].content == ""


@pytest.mark.parametrize(
    "identifier", [12345678901234567890, 1.5, "", "  ", "x" * 256, "a\nb", "\ud800"]
)
def test_an_id_that_is_none_is_named(identifier: Any) -> None:
    found = of_message(id=identifier)
    assert (found.field, found.code) == ("messages[1].id", "invalid")


def test_an_id_that_stands_twice_in_a_batch_is_named() -> None:
    found = refusal({"messages": [said(id="a"), said(id="b"), said(id="a")]})
    assert found.field == "messages[2].id"
    assert "messages[0]" in found.message


@pytest.mark.parametrize(
    "moment",
    [
        "yesterday",
        "2026-03-01",
        "2026-13-01T00:00:00Z",
        1772358600,
        True,
        "",
        "0001-01-01T00:00:00+14:00",
        "9999-12-31T23:59:59-14:00",
        "1969-12-31T23:59:59Z",
    ],
)
def test_a_time_that_cannot_be_read_is_named(moment: Any) -> None:
    found = of_message(timestamp=moment)
    assert (found.field, found.code) == ("messages[1].timestamp", "invalid")


def test_a_time_without_an_offset_is_utc() -> None:
    message = parse_batch({"messages": [said(timestamp="2026-03-01T10:30")]}).messages[0]
    assert message.timestamp == datetime(2026, 3, 1, 10, 30, tzinfo=UTC)


def test_a_time_in_the_future_is_taken_as_it_is() -> None:
    message = parse_batch({"messages": [said(timestamp="2999-01-01T00:00:00Z")]}).messages[0]
    assert message.timestamp == datetime(2999, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("name", [5, "x" * 121, "\0"])
def test_a_name_that_is_none_is_named(name: Any) -> None:
    assert of_message(name=name).field == "messages[1].name"


@pytest.mark.parametrize(
    ("tools", "field"),
    [
        ("search", "messages[1].toolsUsed"),
        ([5], "messages[1].toolsUsed[0]"),
        (["ok", "what I said to the tool"], "messages[1].toolsUsed[1]"),
        (["x"] * 101, "messages[1].toolsUsed"),
    ],
)
def test_tools_are_names(tools: Any, field: str) -> None:
    assert of_message(toolsUsed=tools).field == field


@pytest.mark.parametrize("name", ["group", "ephemeral", "finished"])
@pytest.mark.parametrize("value", ["true", 1, []])
def test_a_flag_is_true_or_false(name: str, value: Any) -> None:
    assert refusal({"messages": [said()], name: value}).field == name


@pytest.mark.parametrize("source", ["sms", 5, None, []])
def test_an_unknown_source_is_named(source: Any) -> None:
    assert refusal({"messages": [said()], "source": source}).field == "source"


@pytest.mark.parametrize("message", ["hi", None, 5, []])
def test_a_message_must_be_an_object(message: Any) -> None:
    assert refusal({"messages": [message]}).field == "messages[0]"
