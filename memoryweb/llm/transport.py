"""One POST that cannot outlive its deadline, whatever the other side does.

httpx limits each read, not the whole: a byte every 29 seconds would keep a worker for ever, in
the headers too. So the sockets themselves know the deadline.
"""

import ssl
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import certifi
import httpcore
import httpx
from django.conf import settings
from django.utils.translation import gettext as _

from memoryweb.core.outbound.addresses import AddressRefused, Unresolved, public_addresses
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
    """No proxy or certificate from the environment, no redirects; ends at `deadline`.

    `is_public`: connects to public addresses alone, and raises HostRefused for others.
    """
    transport = httpx.HTTPTransport(verify=_tls(), trust_env=False)
    transport._pool = httpcore.ConnectionPool(
        ssl_context=_tls(), network_backend=_Backend(deadline, is_public), max_connections=2
    )
    return httpx.Client(
        transport=transport,
        trust_env=False,
        follow_redirects=False,
        timeout=httpx.Timeout(
            settings.MODEL_IDLE_SECONDS,
            connect=settings.MODEL_CONNECT_SECONDS,
            read=settings.MODEL_FIRST_BYTE_SECONDS,
        ),
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
    except httpx.ConnectError:
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
        response.extensions["network_stream"].get_extra_info("model_stream").is_answering = True
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


@cache
def _tls() -> ssl.SSLContext:
    """The machine's own authorities (a company's among them), and the public ones."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


class _Backend(httpcore.SyncBackend):
    def __init__(self, deadline: float, is_public: bool) -> None:
        self._deadline = deadline
        self._is_public = is_public

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """To one of the addresses that were looked at; TLS still proves the name."""
        failure: httpcore.NetworkError = httpcore.ConnectError()
        for address in self._addresses(host, port):
            limit = _limit(timeout, self._deadline)
            try:
                stream = super().connect_tcp(address, port, limit, local_address, socket_options)
            except httpcore.ConnectError as error:
                failure = error
            else:
                return _Stream(stream, self._deadline)
        raise failure

    def _addresses(self, host: str, port: int) -> Sequence[str]:
        if not self._is_public:
            return [host]
        try:
            return public_addresses(host, port)
        except Unresolved:
            raise
        except AddressRefused as refused:
            raise HostRefused(str(refused)) from None


class _Stream(httpcore.NetworkStream):
    """Patient until the body of an answer begins: a local server may read a prompt for a minute,
    before or after its headers. From then on silence means that something is wrong."""

    def __init__(self, inner: httpcore.NetworkStream, deadline: float) -> None:
        self._inner = inner
        self._deadline = deadline
        self.is_answering = False

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        patience = settings.MODEL_IDLE_SECONDS if self.is_answering else timeout
        return self._inner.read(max_bytes, _limit(patience, self._deadline))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self.is_answering = False
        self._inner.write(buffer, _limit(timeout, self._deadline))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        limit = _limit(timeout, self._deadline)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, limit), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self if info == "model_stream" else self._inner.get_extra_info(info)


def _limit(timeout: float | None, deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout
    return left if timeout is None else min(timeout, left)
