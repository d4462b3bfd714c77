"""One POST to an address that a person entered: followed nowhere, and over at its deadline."""

import ssl
import time
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from typing import Any

import certifi
import httpcore
import httpx

from memoryweb.core.outbound.addresses import AddressRefused, public_addresses

SECONDS = 10.0


class TooSlow(Exception):
    """No answer within the time limit, or one that did not come to an end."""


class Unreachable(Exception):
    """No connection, no TLS, or one that broke."""


def post(
    url: str,
    headers: Mapping[str, str],
    body: bytes,
    *,
    seconds: float = SECONDS,
    allowed: Collection[str] = (),
) -> int:
    """The status of the answer, of which no more is read. Raises AddressRefused, TooSlow,
    Unreachable."""
    deadline = time.monotonic() + seconds
    transport = httpx.HTTPTransport(verify=_tls(), trust_env=False)
    transport._pool = httpcore.ConnectionPool(
        ssl_context=_tls(), network_backend=_Backend(deadline, allowed), max_connections=1
    )
    client = httpx.Client(
        transport=transport, trust_env=False, follow_redirects=False, timeout=seconds
    )
    try:
        with client, client.stream("POST", url, headers=dict(headers), content=body) as answer:
            return answer.status_code
    except httpx.TimeoutException:
        raise TooSlow from None
    except httpx.ConnectError as error:
        if isinstance(error.__cause__, AddressRefused):
            raise error.__cause__ from None
        raise Unreachable from None
    except (httpx.HTTPError, httpx.InvalidURL, ssl.SSLError):
        raise Unreachable from None


@cache
def _tls() -> ssl.SSLContext:
    """The machine's own authorities (a company's among them), and the public ones."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


class _Backend(httpcore.SyncBackend):
    """Connects to the addresses that were looked at; TLS still proves the name."""

    def __init__(self, deadline: float, allowed: Collection[str]) -> None:
        self._deadline, self._allowed = deadline, allowed

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        failed: httpcore.NetworkError = httpcore.ConnectError()
        for address in public_addresses(host, port, self._allowed):
            limit = _left(self._deadline)
            try:
                stream = super().connect_tcp(address, port, limit, local_address, socket_options)
            except httpcore.ConnectError as error:
                failed = error
            else:
                return _Stream(stream, self._deadline)
        raise failed


class _Stream(httpcore.NetworkStream):
    """A byte now and then must not keep a worker: each read knows when all is over."""

    def __init__(self, inner: httpcore.NetworkStream, deadline: float) -> None:
        self._inner, self._deadline = inner, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, _left(self._deadline))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _left(self._deadline))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        limit = _left(self._deadline)
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, limit), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout
    return left
