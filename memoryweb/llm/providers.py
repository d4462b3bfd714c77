"""The two formats that model endpoints speak: what is sent, and how the answer is read.

A stream of server-sent events is joined to what the same endpoint sends without one.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Protocol

import pydantic
from django.utils.translation import gettext as _

from memoryweb.llm.endpoint import Endpoint
from memoryweb.llm.exceptions import BadAnswer, ModelError, NoAnswer, Unfinished, from_answer
from memoryweb.llm.parsing import loads
from memoryweb.llm.tokens import SAFE, estimate_messages
from memoryweb.llm.transport import Dialect, Response, is_stream, strict

# From the most to the least that a server must understand; 400 moves on to the next.
OPENAI_FORMS = ("json_schema", "json_object", "plain")
ANTHROPIC_FORMS = ("plain",)
TOKENS_OF_AN_ITEM = 60  # of a list in an answer, with its ids: so many of them fit into its limit
FINISHED = {"openai": {"stop"}, "anthropic": {"end_turn", "stop_sequence"}}
MAX_REPORTED_TOKENS = 10_000_000


# Server-sent events of the two formats, joined to the answer that a call without them gets.


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
        self.finish: Any = None

    def take(self, event: dict[str, Any]) -> str:
        self._answer |= {key: event[key] for key in ("usage", "error") if event.get(key)}
        said = ""
        for choice in _objects(event.get("choices"))[:1]:
            delta = mapping(choice.get("delta"))
            said = _string(delta.get("content"))
            self._text.append(said)
            self._refusal.append(_string(delta.get("refusal")))
            self.finish = choice.get("finish_reason") or self.finish
        return said

    @property
    def answer(self) -> dict[str, Any]:
        message = {"content": "".join(self._text), "refusal": "".join(self._refusal)}
        return self._answer | {"choices": [{"message": message, "finish_reason": self.finish}]}


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


# What is sent, and how it is read.


@dataclass(frozen=True)
class Prompt:
    system: str
    user: str
    schema: type[pydantic.BaseModel]
    max_tokens: int


class Turn(Protocol):
    """`role` is user or assistant."""

    @property
    def role(self) -> str: ...
    @property
    def content(self) -> str: ...


@dataclass(frozen=True)
class Reply:
    """`tokens_in` is None when the endpoint does not say, or says nonsense; `tokens_out` is then
    estimated from the text. `tail`: what is passed on when the turn is kept."""

    text: str
    finish: str
    tokens_in: int | None
    tokens_out: int
    refused: bool = False
    tail: Sequence[str] = ()


def forms(endpoint: Endpoint) -> tuple[str, ...]:
    return OPENAI_FORMS if endpoint.provider == "openai" else ANTHROPIC_FORMS


def headers(endpoint: Endpoint) -> dict[str, str]:
    common = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Accept-Encoding": "identity",
        "User-Agent": "memoryweb",
    }
    if endpoint.provider == "anthropic":
        common["anthropic-version"] = "2023-06-01"
        return common | ({"x-api-key": endpoint.key} if endpoint.key else {})
    return common | ({"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {})


def body(endpoint: Endpoint, prompt: Prompt, dialect: Dialect) -> bytes:
    """Streamed, so that a long answer that is being written is not taken for a dead connection."""
    if endpoint.provider == "anthropic":
        content = _anthropic_body(endpoint, prompt)
    else:
        content = _openai_body(endpoint, prompt, dialect)
    if dialect.temperature is not None:
        content["temperature"] = dialect.temperature
    return json.dumps(content, ensure_ascii=False).encode()


def chat_body(
    endpoint: Endpoint, system: str, turns: Sequence[Turn], max_tokens: int, limit_name: str
) -> bytes:
    """A conversation, answered in plain text."""
    said = [{"role": turn.role, "content": turn.content} for turn in turns]
    content: dict[str, object] = {"model": endpoint.model, "stream": True}
    if endpoint.provider == "anthropic":
        content |= {"messages": _alternating(said), "max_tokens": max_tokens}
        content |= {"system": system} if system else {}
    else:
        opening = [{"role": "system", "content": system}] if system else []
        content |= {"messages": opening + said, limit_name: max_tokens}
    return json.dumps(content, ensure_ascii=False).encode()


def _alternating(turns: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """Neighbours of one role in one message, the first one a user's: older versions insist."""
    merged: list[dict[str, str]] = []
    for turn in turns:
        if merged and merged[-1]["role"] == turn["role"]:
            merged[-1] = {**turn, "content": f"{merged[-1]['content']}\n\n{turn['content']}"}
        elif merged or turn["role"] == "user":
            merged.append(turn)
    return merged


def read(endpoint: Endpoint, response: Response) -> Reply:
    """Raises BadAnswer, Unfinished, or Faulty when the stream itself reports an error."""
    return reply_of(endpoint, whole(endpoint, response))


def stream_of(endpoint: Endpoint) -> Stream:
    return AnthropicStream() if endpoint.provider == "anthropic" else OpenAIStream()


def reply_of(endpoint: Endpoint, answer: Mapping[str, Any]) -> Reply:
    """Raises BadAnswer, Unfinished, or Faulty when the answer itself reports an error."""
    # OpenAI's own non-answers carry "error": null.
    if error := answer.get("error"):
        raise from_answer(200, json.dumps(error).encode())
    reply = _anthropic_reply(answer) if endpoint.provider == "anthropic" else _openai_reply(answer)
    if problem := _problem(endpoint, reply):
        problem.tokens_in, problem.tokens_out = reply.tokens_in or 0, reply.tokens_out
        raise problem
    return reply


def reply_as_sent(answer: Mapping[str, Any], said: Sequence[str], tail: Sequence[str]) -> Reply:
    """Of a call that went on as it came: tools may be called, and a limit reached. What was `said`
    counts where the endpoint does not. Raises Unfinished, or Faulty."""
    if error := answer.get("error"):
        raise from_answer(200, json.dumps(error).encode())
    reply, usage = _openai_reply(answer), mapping(answer.get("usage"))
    if not reply.finish:
        raise _unfinished()
    tokens_out = _tokens_out(usage.get("completion_tokens"), "".join(said))
    return replace(reply, tokens_out=tokens_out, tail=tail)


def arrived(endpoint: Endpoint, body: bytes) -> int:
    """Tokens of a stream that broke off, and of thoughts in it: an event has one at least. 0 where
    there was none that could be read."""
    stream, said, events = stream_of(endpoint), "", 0
    try:
        for line in body.decode("utf-8", "replace").splitlines():
            if event := event_of(line):
                said += stream.take(event)
                events += 1
    except (ValueError, RecursionError, BadAnswer):
        pass  # the last line, cut in its middle
    return max(events, _safe(said)) if events else 0


def _problem(endpoint: Endpoint, reply: Reply) -> ModelError | None:
    if reply.refused:
        return BadAnswer(_("The model declined to answer."))
    if reply.finish not in FINISHED[endpoint.provider]:
        return _unfinished()
    if not reply.text.strip():
        return BadAnswer(_("The model's answer is empty."))
    return None


def _unfinished() -> Unfinished:
    return Unfinished(_("The model stopped before its answer was complete."))


def _openai_body(endpoint: Endpoint, prompt: Prompt, dialect: Dialect) -> dict[str, object]:
    form = OPENAI_FORMS[dialect.form]
    content: dict[str, object] = {
        "model": endpoint.model,
        "messages": [
            {"role": "system", "content": prompt.system},
            {"role": "user", "content": prompt.user},
        ],
        dialect.limit_name: prompt.max_tokens,
        "stream": True,
    }
    if form == "plain":
        return content
    content["stream_options"] = {"include_usage": True}
    content["response_format"] = {"type": form}
    if form == "json_schema":
        most_items = max(1, prompt.max_tokens // TOKENS_OF_AN_ITEM) if dialect.is_bounded else None
        content["response_format"] = {
            "type": form,
            "json_schema": {
                "name": prompt.schema.__name__,
                "strict": True,
                "schema": strict(prompt.schema.model_json_schema(), most_items),
            },
        }
    return content


def _anthropic_body(endpoint: Endpoint, prompt: Prompt) -> dict[str, object]:
    return {
        "model": endpoint.model,
        "system": prompt.system,
        "messages": [{"role": "user", "content": prompt.user}],
        "max_tokens": prompt.max_tokens,
        "stream": True,
    }


def whole(endpoint: Endpoint, response: Response) -> Mapping[str, Any]:
    try:
        if is_stream(response.headers):
            lines = response.body.decode("utf-8", "replace").splitlines()
            answer = joined(stream_of(endpoint), iter(lines))
        else:
            answer = loads(response.body)
    except (ValueError, RecursionError):
        raise NoAnswer(_("The model endpoint's answer is not JSON.")) from None
    if not isinstance(answer, dict):
        raise NoAnswer(_("The model endpoint's answer does not have the known form."))
    return answer


def _openai_reply(answer: Mapping[str, Any]) -> Reply:
    choice = _first(answer.get("choices"))
    message = choice.get("message")
    if not isinstance(message, dict):
        raise NoAnswer(_("The model endpoint's answer does not have the known form."))
    usage = mapping(answer.get("usage"))
    text = text_of(message.get("content"))
    return Reply(
        text=text,
        finish=_word(choice.get("finish_reason")),
        tokens_in=count(usage.get("prompt_tokens")),
        tokens_out=_tokens_out(usage.get("completion_tokens"), text),
        refused=bool(message.get("refusal")),
    )


def _anthropic_reply(answer: Mapping[str, Any]) -> Reply:
    usage = mapping(answer.get("usage"))
    parts = [
        count(usage.get(name))
        for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    ]
    text = text_of(answer.get("content"))
    return Reply(
        text=text,
        finish=_word(answer.get("stop_reason")),
        tokens_in=None if parts[0] is None else sum(part or 0 for part in parts),
        tokens_out=_tokens_out(usage.get("output_tokens"), text),
    )


def text_of(content: Any) -> str:
    """Text as it is, or the text blocks of a list of blocks."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "".join(
        block["text"]
        for block in blocks
        if isinstance(block, dict)
        and block.get("type", "text") == "text"
        and isinstance(block.get("text"), str)
    )


def _first(choices: Any) -> Mapping[str, Any]:
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise NoAnswer(_("The model endpoint's answer does not have the known form."))
    return choices[0]


def _word(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _tokens_out(said: Any, text: str) -> int:
    counted = count(said)
    return _safe(text) if counted is None else counted


def _safe(text: str) -> int:
    return ceil(SAFE * estimate_messages([text]))


def count(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= MAX_REPORTED_TOKENS else None
