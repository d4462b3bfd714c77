"""Calls of others' servers: which addresses may be called, asked for each connection after the name
was resolved, and a client that can't outlive its deadline, whatever the other side does.

httpx limits each read, not the whole: a byte every 29 seconds would keep a worker for ever, in
the headers too. So the sockets themselves know the deadline.
"""

import ipaddress
import socket
import ssl
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache
from typing import Any

import certifi
import httpcore
import httpx
from django.utils.translation import gettext as _

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class AddressRefused(httpcore.ConnectError):
    """The host is, or resolves to, an address of a private network, or none at all."""


class Unresolved(AddressRefused):
    """The name has no address now, which may pass."""


def is_public(text: str) -> bool:
    """Of anybody's on the internet: not this machine, not the network around it, no multicast."""
    try:
        address: Address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address):
        if address.is_site_local:
            return False
        address = _within(address) or address
    return address.is_global and not address.is_multicast and not address.is_reserved


def _within(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that one of IPv6 leads to."""
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo[1] if address.teredo else None
    return address.ipv4_mapped or address.sixtofour or teredo


def public_addresses(host: str, port: int, allowed: Collection[str] = ()) -> list[str]:
    """What the name resolves to now. `allowed` names hosts that an operator wants called wherever
    they are. Raises AddressRefused, also if only one of several addresses is private.

    Connect to what this returns and never to the name, which may mean something else later."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Unresolved(_("The host's name can't be resolved.")) from None
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    is_allowed = host.lower().rstrip(".") in allowed
    if not addresses or not (is_allowed or all(map(is_public, addresses))):
        raise AddressRefused(_("The host is in a private network, which isn't called."))
    return addresses


# What a name leads to. Raises AddressRefused.
Lookup = Callable[[str, int], Sequence[str]]


def any_address(host: str, _port: int) -> Sequence[str]:
    return [host]


def client(
    deadline: float,
    *,
    lookup: Lookup = any_address,
    timeout: httpx.Timeout | None = None,
    idle: float | None = None,
) -> httpx.Client:
    """No proxy or certificate from the environment, no redirects; ends at `deadline`, a moment of
    `time.monotonic()`. `idle`: the limit of each read once `begins` was called."""
    transport = httpx.HTTPTransport(verify=_tls(), trust_env=False)
    transport._pool = httpcore.ConnectionPool(
        ssl_context=_tls(), network_backend=_Backend(deadline, lookup, idle), max_connections=2
    )
    return httpx.Client(
        transport=transport, trust_env=False, follow_redirects=False, timeout=timeout
    )


def begins(response: httpx.Response) -> None:
    """Its body has begun: from now on silence means that something is wrong."""
    response.extensions["network_stream"].get_extra_info("stream").is_answering = True


@cache
def _tls() -> ssl.SSLContext:
    """The machine's own authorities (a company's among them), and the public ones."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


class _Backend(httpcore.SyncBackend):
    """Connects to the addresses that were looked at; TLS still proves the name."""

    def __init__(self, deadline: float, lookup: Lookup, idle: float | None) -> None:
        self._deadline, self._lookup, self._idle = deadline, lookup, idle

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        failure: httpcore.NetworkError = httpcore.ConnectError()
        for address in self._lookup(host, port):
            limit = _limit(timeout, self._deadline)
            try:
                stream = super().connect_tcp(address, port, limit, local_address, socket_options)
            except httpcore.ConnectError as error:
                failure = error
            else:
                return _Stream(stream, self._deadline, self._idle)
        raise failure


class _Stream(httpcore.NetworkStream):
    """Patient until the body of an answer begins: a local server may read a prompt for a minute,
    before or after its headers."""

    def __init__(self, inner: httpcore.NetworkStream, deadline: float, idle: float | None) -> None:
        self._inner, self._deadline, self._idle = inner, deadline, idle
        self.is_answering = False

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        patience = self._idle if self.is_answering else timeout
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
        inner = self._inner.start_tls(ssl_context, server_hostname, limit)
        return _Stream(inner, self._deadline, self._idle)

    def get_extra_info(self, info: str) -> Any:
        return self if info == "stream" else self._inner.get_extra_info(info)


def _limit(timeout: float | None, deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout
    return left if timeout is None else min(timeout, left)
