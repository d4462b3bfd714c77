"""One answer as OpenAI and as Anthropic would send it, streamed and whole."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Answer:
    """`tokens` are (in, out); None leaves the usage away."""

    model: str
    text: str
    finish: str
    tokens: tuple[Any, Any] | None


def encoded(provider: str, answer: Answer, streamed: bool) -> bytes:
    if provider == "anthropic":
        events, whole = _anthropic_events(answer), _anthropic_whole(answer)
    else:
        events, whole = _openai_events(answer), _openai_whole(answer)
    return "".join(events).encode() if streamed else json.dumps(whole).encode()


def _openai_whole(answer: Answer) -> dict[str, Any]:
    message = {"role": "assistant", "content": answer.text}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": answer.model,
        "choices": [{"index": 0, "message": message, "finish_reason": answer.finish or "stop"}],
        "usage": _openai_usage(answer),
    }


def _openai_events(answer: Answer) -> Iterator[str]:
    def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> str:
        choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
        event = {"object": "chat.completion.chunk", "model": answer.model, "choices": choices}
        return f"data: {json.dumps(event | more)}\n\n"

    yield chunk({"role": "assistant", "content": ""})
    for piece in _pieces(answer.text):
        yield chunk({"content": piece})
    yield chunk({}, answer.finish or "stop")
    yield chunk({}, choices=[], usage=_openai_usage(answer))
    yield "data: [DONE]\n\n"


def _openai_usage(answer: Answer) -> dict[str, Any] | None:
    if answer.tokens is None:
        return None
    return {"prompt_tokens": answer.tokens[0], "completion_tokens": answer.tokens[1]}


def _anthropic_whole(answer: Answer) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": [{"type": "text", "text": answer.text}],
        "stop_reason": answer.finish or "end_turn",
        "usage": _anthropic_usage(answer),
    }


def _anthropic_events(answer: Answer) -> Iterator[str]:
    def event(kind: str, **more: Any) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind} | more)}\n\n"

    usage = _anthropic_usage(answer)
    yield event("message_start", message={"model": answer.model, "usage": usage})
    yield event("content_block_start", index=0, content_block={"type": "text", "text": ""})
    for piece in _pieces(answer.text):
        yield event("content_block_delta", index=0, delta={"type": "text_delta", "text": piece})
    yield event("content_block_stop", index=0)
    yield event("message_delta", delta={"stop_reason": answer.finish or "end_turn"}, usage=usage)
    yield event("message_stop")


def _anthropic_usage(answer: Answer) -> dict[str, Any]:
    if answer.tokens is None:
        return {}
    return {"input_tokens": answer.tokens[0], "output_tokens": answer.tokens[1]}


def _pieces(text: str, size: int = 400) -> list[str]:
    return [text[place : place + size] for place in range(0, len(text), size)]
