"""One POST to a model endpoint, and what goes wrong with it as people and runs are told."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import httpx
from django.conf import settings
from django.utils.translation import gettext as _

from memoryweb.core import outbound
from memoryweb.llm.exceptions import HostRefused, ModelError, NoAnswer, TimedOut, Unavailable

MAX_BODY_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class Response:
    status: int
    headers: Mapping[str, str]
    body: bytes


class ConnectionLost(Unavailable):
    """The connection could not be made or broke: worth another try."""


def client(deadline: float, *, is_public: bool = False) -> httpx.Client:
    """`is_public`: connects to public addresses alone, and raises HostRefused for others."""
    return outbound.client(
        deadline,
        lookup=outbound.public_addresses if is_public else outbound.any_address,
        timeout=httpx.Timeout(
            settings.MODEL_IDLE_SECONDS,
            connect=settings.MODEL_CONNECT_SECONDS,
            read=settings.MODEL_FIRST_BYTE_SECONDS,
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
