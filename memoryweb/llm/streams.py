"""Server-sent events of the two formats, joined to the answer that a call without them gets."""

from collections.abc import Iterator
from typing import Any, Protocol

from memoryweb.llm.parsing import loads


class Stream(Protocol):
    """`take` answers with the text of one event; `answer` is the whole, as far as it has come."""

    def take(self, event: dict[str, Any]) -> str: ...

    @property
    def answer(self) -> dict[str, Any]: ...


class OpenAIStream:
    def __init__(self) -> None:
        self._text: list[str] = []
        self._refusal: list[str] = []
        self._answer: dict[str, Any] = {}
        self._finish: Any = None

    def take(self, event: dict[str, Any]) -> str:
        self._answer |= {key: event[key] for key in ("usage", "error") if event.get(key)}
        said = ""
        for choice in _objects(event.get("choices"))[:1]:
            delta = mapping(choice.get("delta"))
            said = _string(delta.get("content"))
            self._text.append(said)
            self._refusal.append(_string(delta.get("refusal")))
            self._finish = choice.get("finish_reason") or self._finish
        return said

    @property
    def answer(self) -> dict[str, Any]:
        message = {"content": "".join(self._text), "refusal": "".join(self._refusal)}
        return self._answer | {"choices": [{"message": message, "finish_reason": self._finish}]}


class AnthropicStream:
    def __init__(self) -> None:
        self._text: list[str] = []
        self._answer: dict[str, Any] = {}
        self._usage: dict[str, Any] = {}

    def take(self, event: dict[str, Any]) -> str:
        said, kind = "", event.get("type")
        if kind == "message_start":
            self._usage |= mapping(mapping(event.get("message")).get("usage"))
        elif kind == "content_block_delta":
            said = _string(mapping(event.get("delta")).get("text"))
            self._text.append(said)
        elif kind == "message_delta":
            self._answer["stop_reason"] = mapping(event.get("delta")).get("stop_reason")
            self._usage |= mapping(event.get("usage"))
        elif kind == "error":
            self._answer["error"] = event.get("error") or True
        return said

    @property
    def answer(self) -> dict[str, Any]:
        return self._answer | {"content": "".join(self._text), "usage": self._usage}


def event_of(line: str) -> dict[str, Any] | None:
    """The JSON object behind `data:`; raises ValueError where it is no JSON."""
    text = line.removeprefix("data:").strip() if line.startswith("data:") else ""
    event = loads(text) if text and text != "[DONE]" else None
    return event if isinstance(event, dict) else None


def joined(stream: Stream, lines: Iterator[str]) -> dict[str, Any]:
    """Raises ValueError where a line is no event."""
    for line in lines:
        if event := event_of(line):
            stream.take(event)
    return stream.answer


def mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""
