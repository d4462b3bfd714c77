"""One POST to a model endpoint, and what goes wrong with it as people and runs are told."""

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import httpx
from django.conf import settings
from django.utils.translation import gettext as _

from memoryweb.core import outbound
from memoryweb.llm.exceptions import HostRefused, ModelError, NoAnswer, TimedOut, Unavailable
from memoryweb.llm.tokens import SAFE, estimate_messages

MAX_BODY_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class Response:
    status: int
    headers: Mapping[str, str]
    body: bytes


class ConnectionLost(Unavailable):
    """The connection could not be made or broke: worth another try."""


def client(
    deadline: float, *, is_public: bool = False, patience: float | None = None
) -> httpx.Client:
    """`is_public`: connects to public addresses alone, and raises HostRefused for others.
    `patience`: seconds before the first byte, if unlike the setting."""
    return outbound.client(
        deadline,
        lookup=outbound.public_addresses if is_public else outbound.any_address,
        timeout=httpx.Timeout(
            settings.MODEL_IDLE_SECONDS,
            connect=settings.MODEL_CONNECT_SECONDS,
            read=patience or settings.MODEL_FIRST_BYTE_SECONDS,
        ),
        idle=settings.MODEL_IDLE_SECONDS,
    )


def post(
    http: httpx.Client, url: str, headers: Mapping[str, str], body: bytes, deadline: float
) -> Response:
    """Raises TimedOut, ConnectionLost, or NoAnswer for a body that is too long or encoded; each
    with what had arrived."""
    arrived: list[bytes] = []
    try:
        with opened(http, url, headers, body, deadline) as response:
            arrived.extend(_chunks(response, deadline))
            return Response(response.status_code, dict(response.headers), b"".join(arrived))
    except ModelError as error:
        error.arrived = b"".join(arrived)
        raise


@contextmanager
def opened(
    http: httpx.Client, url: str, headers: Mapping[str, str], body: bytes, deadline: float
) -> Iterator[httpx.Response]:
    """The answer as it comes. What goes wrong within is told as `post` tells it."""
    _check(deadline)
    is_answering = False
    try:
        with http.stream("POST", url, headers=dict(headers), content=body) as response:
            is_answering = response.status_code == 200
            yield response
    except httpx.ConnectTimeout:
        _check(deadline)
        raise ConnectionLost(_("The model endpoint could not be reached in time.")) from None
    except httpx.TimeoutException:
        _check(deadline)
        raise TimedOut(
            _(
                "The model endpoint did not begin to answer within %(seconds)g seconds. If it "
                "needs longer to read, raise MEMORYWEB_MODEL_FIRST_BYTE_SECONDS."
            )
            % {"seconds": settings.MODEL_FIRST_BYTE_SECONDS}
        ) from None
    except httpx.ConnectError as error:
        if type(error.__cause__) is outbound.AddressRefused:  # an unresolved name may pass
            raise HostRefused(str(error.__cause__)) from None
        raise ConnectionLost(
            _("The model endpoint could not be reached. Check its address.")
        ) from None
    except (httpx.HTTPError, httpx.InvalidURL):
        lost = ConnectionLost(_("The connection to the model endpoint broke off."))
        lost.charged = is_answering
        raise lost from None


def is_stream(headers: Mapping[str, str]) -> bool:
    return "text/event-stream" in headers.get("content-type", "")


def read(response: httpx.Response, deadline: float) -> Response:
    content = b"".join(_chunks(response, deadline))
    return Response(response.status_code, dict(response.headers), content)


def lines(response: httpx.Response, deadline: float) -> Iterator[str]:
    """Each line once it is whole."""
    rest = b""
    for chunk in _chunks(response, deadline):
        *whole, rest = (rest + chunk).split(b"\n")
        yield from (line.decode("utf-8", "replace").rstrip("\r") for line in whole)
    yield rest.decode("utf-8", "replace")


def _chunks(response: httpx.Response, deadline: float) -> Iterator[bytes]:
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise NoAnswer(_("The model endpoint sent a compressed answer that was not asked for."))
    size = 0
    chunks = response.iter_raw()
    while chunk := _next(chunks, deadline, has_begun=bool(size)):
        _check(deadline)
        size += len(chunk)
        if size > MAX_BODY_BYTES:
            raise NoAnswer(_("The model endpoint's answer is too long to be one."))
        outbound.begins(response)
        yield chunk


def _next(chunks: Iterator[bytes], deadline: float, *, has_begun: bool) -> bytes | None:
    try:
        return next(chunks, None)
    except httpx.ReadTimeout:
        if not has_begun:
            raise
        _check(deadline)
        raise TimedOut(
            _(
                "The model endpoint sent nothing for %(seconds)g seconds in the middle of its "
                "answer. If it needs longer, raise MEMORYWEB_MODEL_IDLE_SECONDS."
            )
            % {"seconds": settings.MODEL_IDLE_SECONDS}
        ) from None


def _check(deadline: float) -> None:
    if time.monotonic() >= deadline:
        raise TimedOut(
            _(
                "The model did not answer within the time limit. For a slow one, raise "
                "MEMORYWEB_EXTRACTION_TIMEOUT_SECONDS, MEMORYWEB_DREAM_TIMEOUT_SECONDS and "
                "MEMORYWEB_CHAT_TIMEOUT_SECONDS."
            )
        )


# What an endpoint's model is known to take, as long as this process lives.
# Servers that speak OpenAI's or Anthropic's format take different parts of it, and count tokens
# differently. Each begins with the most, is asked for less after a refusal, and that is
# remembered.

MOST_FACTOR = 4.0  # of a token count that an endpoint reports, lest one makes calls endless
# llama.cpp makes a grammar of the schema, and takes no repetition of 2,000 or more
# (MAX_REPETITION_THRESHOLD in its `llama-grammar.cpp`).
_MOST_CHARACTERS = 1_500
# Sizes that are not sent are checked when the answer is parsed.
_UNSENT = {
    "title", "default", "description", "maxLength", "minLength", "pattern", "format",
    "maxItems", "minItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
}  # fmt: skip
# Words of a refusal, and what is asked instead.
_WITHOUT: tuple[tuple[str, re.Pattern[bytes], Any], ...] = (
    ("limit_name", re.compile(rb"max_completion_tokens"), "max_completion_tokens"),
    ("temperature", re.compile(rb"temperature"), None),
    ("is_bounded", re.compile(rb"maxLength|maxItems|grammar"), False),
)


@dataclass(frozen=True)
class Dialect:
    """`form` counts from the richest; `factor` is how many tokens the endpoint counts for one
    that we estimate."""

    form: int = 0
    limit_name: str = "max_tokens"
    temperature: float | None = 0.2
    is_bounded: bool = True
    factor: float = SAFE

    def tokens(self, texts: Iterable[str]) -> int:
        """Rather too many than too few: what is reserved is never overdrawn."""
        return ceil(self.factor * estimate_messages(texts))

    def after(self, refusal: Response, forms: Sequence[str]) -> "Dialect | None":
        """How to ask instead; None where nothing is left to try."""
        if refusal.status not in {400, 422}:
            return None
        for part, words, instead in _WITHOUT:
            if getattr(self, part) != instead and words.search(refusal.body):
                return replace(self, **{part: instead})
        return replace(self, form=self.form + 1) if self.form + 1 < len(forms) else None

    def learned(self, texts: Iterable[str], tokens_in: int | None) -> "Dialect":
        """Up at once, down slowly: the next text may be in another language."""
        if tokens_in is None:
            return self
        counted = min(max(tokens_in / estimate_messages(texts), 1.0), MOST_FACTOR)
        return replace(self, factor=max(counted, (9 * self.factor + counted) / 10))


_known: dict[tuple[str, str], Dialect] = {}


def dialect_of(url: str, model: str) -> Dialect:
    return _known.get((url, model), Dialect())


def remember_dialect(url: str, model: str, dialect: Dialect) -> None:
    _known[url, model] = dialect


def strict(node: Any, most_items: int | None) -> Any:
    """The schema as OpenAI's strict mode wants it: every field required, no other allowed. With
    sizes where `most_items` says how long a list may be: a small model may write one item for
    ever."""
    if isinstance(node, list):
        return [strict(item, most_items) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {key: strict(item, most_items) for key, item in node.items() if key not in _UNSENT}
    if most_items and "maxLength" in node:
        kept["maxLength"] = min(node["maxLength"], _MOST_CHARACTERS)
    if most_items and "maxItems" in node:
        kept["maxItems"] = min(node["maxItems"], most_items)
    if isinstance(node.get("properties"), dict):
        kept["properties"] = {k: strict(item, most_items) for k, item in node["properties"].items()}
        kept["required"] = list(node["properties"])
        kept["additionalProperties"] = False
    return kept
