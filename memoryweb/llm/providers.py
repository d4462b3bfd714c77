"""The two formats that model endpoints speak: what is sent, and how the answer is read.

A stream of server-sent events is joined to what the same endpoint sends without one.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pydantic
from django.utils.translation import gettext as _

from memoryweb.llm.endpoint import Endpoint
from memoryweb.llm.exceptions import BadAnswer, Faulty, ModelError, NoAnswer, Unfinished
from memoryweb.llm.parsing import loads
from memoryweb.llm.tokens import estimate_messages
from memoryweb.llm.transport import Response

# From the most to the least that a server must understand; 400 moves on to the next.
OPENAI_FORMS = ("json_schema", "json_object", "plain")
ANTHROPIC_FORMS = ("plain",)
FINISHED = {"openai": {"stop"}, "anthropic": {"end_turn", "stop_sequence"}}
MAX_REPORTED_TOKENS = 10_000_000

# What OpenAI's strict mode does not take. Sizes are checked when the answer is parsed.
_UNSUPPORTED = {
    "title", "default", "description", "maxLength", "minLength", "pattern", "format",
    "maxItems", "minItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
}  # fmt: skip


@dataclass(frozen=True)
class Prompt:
    system: str
    user: str
    schema: type[pydantic.BaseModel]
    max_tokens: int


@dataclass(frozen=True)
class Reply:
    """`tokens_in` is None when the endpoint does not say, or says nonsense; `tokens_out` is then
    estimated from the text."""

    text: str
    finish: str
    tokens_in: int | None
    tokens_out: int
    refused: bool = False


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


def body(endpoint: Endpoint, prompt: Prompt, form: str, limit_name: str) -> bytes:
    """Streamed, so that a long answer that is being written is not taken for a dead connection."""
    if endpoint.provider == "anthropic":
        content = _anthropic_body(endpoint, prompt)
    else:
        content = _openai_body(endpoint, prompt, form, limit_name)
    return json.dumps(content, ensure_ascii=False).encode()


def read(endpoint: Endpoint, response: Response) -> Reply:
    """Raises BadAnswer, Unfinished, or Faulty when the stream itself reports an error."""
    answer = _answer(endpoint, response)
    reply = _anthropic_reply(answer) if endpoint.provider == "anthropic" else _openai_reply(answer)
    if error := _problem(endpoint, reply):
        error.tokens_in, error.tokens_out = reply.tokens_in or 0, reply.tokens_out
        raise error
    return reply


def _problem(endpoint: Endpoint, reply: Reply) -> ModelError | None:
    if reply.refused:
        return BadAnswer(_("The model declined to answer."))
    if reply.finish not in FINISHED[endpoint.provider]:
        return Unfinished(_("The model stopped before its answer was complete."))
    if not reply.text.strip():
        return BadAnswer(_("The model's answer is empty."))
    return None


def _openai_body(
    endpoint: Endpoint, prompt: Prompt, form: str, limit_name: str
) -> dict[str, object]:
    content: dict[str, object] = {
        "model": endpoint.model,
        "messages": [
            {"role": "system", "content": prompt.system},
            {"role": "user", "content": prompt.user},
        ],
        limit_name: prompt.max_tokens,
        "stream": True,
    }
    if form == "plain":
        return content
    content["stream_options"] = {"include_usage": True}
    content["response_format"] = {"type": form}
    if form == "json_schema":
        content["response_format"] = {
            "type": form,
            "json_schema": {
                "name": prompt.schema.__name__,
                "strict": True,
                "schema": strict(prompt.schema.model_json_schema()),
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


def strict(node: Any) -> Any:
    """The schema as OpenAI's strict mode wants it: every field required, no other allowed."""
    if isinstance(node, list):
        return [strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {key: strict(item) for key, item in node.items() if key not in _UNSUPPORTED}
    if isinstance(node.get("properties"), dict):
        kept["properties"] = {name: strict(item) for name, item in node["properties"].items()}
        kept["required"] = list(node["properties"])
        kept["additionalProperties"] = False
    return kept


def _answer(endpoint: Endpoint, response: Response) -> Mapping[str, Any]:
    try:
        if "text/event-stream" in response.headers.get("content-type", ""):
            join = _joined_anthropic if endpoint.provider == "anthropic" else _joined_openai
            answer = join(_events(response.body))
        else:
            answer = loads(response.body)
    except (ValueError, RecursionError):
        raise NoAnswer(_("The model endpoint's answer is not JSON.")) from None
    if not isinstance(answer, dict):
        raise NoAnswer(_("The model endpoint's answer does not have the known form."))
    # OpenAI's own non-answers carry "error": null.
    if answer.get("error"):
        raise Faulty(_("The model endpoint answered with an error of its own."))
    return answer


def _events(body: bytes) -> Iterator[dict[str, Any]]:
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


def _joined_openai(chunks: Iterable[dict[str, Any]]) -> dict[str, Any]:
    text: list[str] = []
    refusal: list[str] = []
    answer: dict[str, Any] = {}
    finish: Any = None
    for chunk in chunks:
        answer |= {key: chunk[key] for key in ("usage", "error") if chunk.get(key)}
        for choice in _objects(chunk.get("choices"))[:1]:
            delta = _mapping(choice.get("delta"))
            text += _strings(delta.get("content"))
            refusal += _strings(delta.get("refusal"))
            finish = choice.get("finish_reason") or finish
    message = {"content": "".join(text), "refusal": "".join(refusal)}
    return answer | {"choices": [{"message": message, "finish_reason": finish}]}


def _joined_anthropic(stream: Iterable[dict[str, Any]]) -> dict[str, Any]:
    text: list[str] = []
    answer: dict[str, Any] = {}
    usage: dict[str, Any] = {}
    for event in stream:
        kind = event.get("type")
        if kind == "message_start":
            usage |= _mapping(_mapping(event.get("message")).get("usage"))
        elif kind == "content_block_delta":
            text += _strings(_mapping(event.get("delta")).get("text"))
        elif kind == "message_delta":
            answer["stop_reason"] = _mapping(event.get("delta")).get("stop_reason")
            usage |= _mapping(event.get("usage"))
        elif kind == "error":
            answer["error"] = True
    return answer | {"content": "".join(text), "usage": usage}


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _strings(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else []


def _openai_reply(answer: Mapping[str, Any]) -> Reply:
    choice = _first(answer.get("choices"))
    message = choice.get("message")
    if not isinstance(message, dict):
        raise NoAnswer(_("The model endpoint's answer does not have the known form."))
    usage = _mapping(answer.get("usage"))
    text = _text(message.get("content"))
    return Reply(
        text=text,
        finish=_word(choice.get("finish_reason")),
        tokens_in=_count(usage.get("prompt_tokens")),
        tokens_out=_tokens_out(usage.get("completion_tokens"), text),
        refused=bool(message.get("refusal")),
    )


def _anthropic_reply(answer: Mapping[str, Any]) -> Reply:
    usage = _mapping(answer.get("usage"))
    parts = [
        _count(usage.get(name))
        for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    ]
    text = _text(answer.get("content"))
    return Reply(
        text=text,
        finish=_word(answer.get("stop_reason")),
        tokens_in=None if parts[0] is None else sum(part or 0 for part in parts),
        tokens_out=_tokens_out(usage.get("output_tokens"), text),
    )


def _text(content: Any) -> str:
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


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _word(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _tokens_out(said: Any, text: str) -> int:
    counted = _count(said)
    return estimate_messages([text]) if counted is None else counted


def _count(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= MAX_REPORTED_TOKENS else None
