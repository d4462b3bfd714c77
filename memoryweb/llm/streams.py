"""Server-sent events of both formats, joined to what the same endpoint sends without a stream."""

from collections.abc import Iterable, Iterator
from typing import Any

from memoryweb.llm.parsing import loads


def events(body: bytes) -> Iterator[dict[str, Any]]:
    """The JSON objects behind `data:`; raises ValueError where one is none."""
    for line in body.decode("utf-8", "replace").splitlines():
        if not line.startswith("data:"):
            continue
        text = line[5:].strip()
        if not text or text == "[DONE]":
            continue
        event = loads(text)
        if isinstance(event, dict):
            yield event


def joined_openai(chunks: Iterable[dict[str, Any]]) -> dict[str, Any]:
    text: list[str] = []
    refusal: list[str] = []
    answer: dict[str, Any] = {}
    finish: Any = None
    for chunk in chunks:
        answer |= {key: chunk[key] for key in ("model", "usage", "error") if chunk.get(key)}
        for choice in _objects(chunk.get("choices"))[:1]:
            delta = _object(choice.get("delta"))
            text += _strings(delta.get("content"))
            refusal += _strings(delta.get("refusal"))
            finish = choice.get("finish_reason") or finish
    message = {"content": "".join(text), "refusal": "".join(refusal)}
    return answer | {"choices": [{"message": message, "finish_reason": finish}]}


def joined_anthropic(events: Iterable[dict[str, Any]]) -> dict[str, Any]:
    text: list[str] = []
    answer: dict[str, Any] = {}
    usage: dict[str, Any] = {}
    for event in events:
        kind = event.get("type")
        if kind == "message_start":
            message = _object(event.get("message"))
            answer["model"] = message.get("model")
            usage |= _object(message.get("usage"))
        elif kind == "content_block_delta":
            text += _strings(_object(event.get("delta")).get("text"))
        elif kind == "message_delta":
            answer["stop_reason"] = _object(event.get("delta")).get("stop_reason")
            usage |= _object(event.get("usage"))
        elif kind == "error":
            answer["error"] = True
    return answer | {"content": "".join(text), "usage": usage}


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _strings(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else []
