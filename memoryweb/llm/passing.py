"""A call in OpenAI's format that goes on to the model as it came, and the answer as it comes."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import httpx

from memoryweb.core import outbound
from memoryweb.llm import client, providers, transport
from memoryweb.llm.client import MAX_ANSWER_TOKENS, Pieces, Question
from memoryweb.llm.endpoint import Endpoint

_LINK = re.compile(r"https://([a-z0-9.-]+)(?::\d+)?(?:[/?#][^\s\\]*)?", re.IGNORECASE | re.ASCII)
_MOST_HOSTS = 10  # each is looked up
_IMAGE = "x" * 4_000  # about as many tokens as an image takes


def as_openai(endpoint: Endpoint) -> Endpoint:
    """Anthropic's server takes that format beside its own."""
    if endpoint.provider == "openai":
        return endpoint
    url = endpoint.url.removesuffix("/messages") + "/chat/completions"
    return replace(endpoint, provider="openai", url=url)


def question(sent: Mapping[str, Any]) -> Question:
    """Its pieces are the events before the end, which is the reply's `tail`; so is the whole answer
    where no events were asked for."""
    fields, options = dict(sent), sent.get("stream_options") or {}
    limits = [fields.pop(name, None) for name in ("max_completion_tokens", "max_tokens")]
    most: int = next(filter(None, limits), MAX_ANSWER_TOKENS)
    texts = [json.dumps(fields.get("tools") or ""), *map(_counted, fields["messages"])]
    is_whole = not fields.get("stream")
    fields.pop("stream_options", None)
    if not is_whole:
        fields["stream_options"] = options | {"include_usage": True}
    read = _whole if is_whole else partial(_events, tells_usage=bool(options.get("include_usage")))

    def body(endpoint: Endpoint, limit_name: str) -> bytes:
        passed = fields | {"model": endpoint.model, limit_name: most}
        return json.dumps(passed, ensure_ascii=False).encode()

    return Question(texts, most, body, read, is_whole)


def are_public(messages: Iterable[Mapping[str, Any]]) -> bool:
    """Whether they link to data and public hosts alone: a model's server fetches it, from within
    its own network."""
    links = [_LINK.fullmatch(str(link)) for link in _links(messages)]
    hosts = {link[1].lower() for link in links if link}
    try:
        return (
            all(links)
            and len(hosts) <= _MOST_HOSTS
            and all(outbound.public_addresses(host, 443) for host in hosts)
        )
    except outbound.AddressRefused:
        return False


def _links(messages: Iterable[Mapping[str, Any]]) -> Iterator[Any]:
    waiting = [("", message.get("content")) for message in messages]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.items()
        elif isinstance(value, list):
            waiting += ((name, one) for one in value)
        elif name.lower().endswith("url") and not str(value).startswith("data:"):
            yield value


def _counted(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    images = sum(block.get("type") != "text" for block in blocks)
    text, calls = providers.text_of(content), message.get("tool_calls")
    return f"{text}{json.dumps(calls) if calls else ''}{_IMAGE * images}"


def _whole(
    endpoint: Endpoint, response: httpx.Response, deadline: float, said: list[str]
) -> Pieces:
    answer = providers.whole(endpoint, transport.read(response, deadline))
    said.append(json.dumps(answer.get("choices"), ensure_ascii=False))
    yield from ()
    return providers.reply_as_sent(answer, said, [json.dumps(answer)])


def _events(
    endpoint: Endpoint,
    response: httpx.Response,
    deadline: float,
    said: list[str],
    *,
    tells_usage: bool,
) -> Pieces:
    """`tells_usage`: the last event, which we ask for, was asked for by the caller, too."""
    stream, tail = providers.OpenAIStream(), list[str]()
    for event in client.events(response, deadline):
        said.append(stream.take(event) or json.dumps(event.get("choices")))
        is_usage = bool(event.get("usage")) and not event.get("choices")
        if event.get("error") or (is_usage and not tells_usage):
            continue
        if stream.finish:
            tail.append(json.dumps(event))
        else:
            yield json.dumps(event)
    return providers.reply_as_sent(stream.answer, said, tail)
