"""Where a request came from, for the events written while it is answered."""

import ipaddress
import uuid
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True)
class Origin:
    ip: str = ""
    user_agent: str = ""
    request_id: str = ""


NOWHERE = Origin()
current: ContextVar[Origin] = ContextVar("audit_origin", default=NOWHERE)


def origin_of(request: HttpRequest) -> Origin:
    agent = "".join(c for c in request.headers.get("User-Agent", "") if c.isprintable())
    return Origin(
        ip=client_ip(
            request.META.get("REMOTE_ADDR", ""),
            request.headers.get("X-Forwarded-For", ""),
            settings.TRUSTED_PROXIES,
        ),
        user_agent=agent[:200],
        request_id=uuid.uuid4().hex,
    )


def client_ip(remote: str, forwarded: str, proxies: Sequence[Network]) -> str:
    """The nearest address that is not one of our own proxies.

    Anyone can send X-Forwarded-For; only what a listed proxy appended is believed, so the list
    is read from its end.
    """
    address = _address(remote)
    for hop in reversed(forwarded.split(",")):
        if not address or not _within(address, proxies):
            break
        if not (further := _address(hop.strip())):
            break
        address = further
    return address


def _address(text: str) -> str:
    try:
        return str(ipaddress.ip_address(text.split("%")[0]))
    except ValueError:
        return ""


def _within(address: str, networks: Sequence[Network]) -> bool:
    parsed = ipaddress.ip_address(address)
    return any(parsed in network for network in networks)


class OriginMiddleware:
    """Every event written while this request is answered carries its origin."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        token = current.set(origin_of(request))
        try:
            return self.get_response(request)
        finally:
            current.reset(token)
