from ipaddress import ip_network

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from memoryweb.audit.record import NOWHERE, Origin, OriginMiddleware, client_ip, current

PROXIES = [ip_network("10.0.0.0/8"), ip_network("127.0.0.1")]


@pytest.mark.parametrize(
    ("remote", "forwarded", "ip"),
    [
        ("192.0.2.1", "", "192.0.2.1"),
        ("192.0.2.1", "203.0.113.5", "192.0.2.1"),
        ("10.0.0.1", "203.0.113.5", "203.0.113.5"),
        ("10.0.0.1", "1.1.1.1, 203.0.113.5", "203.0.113.5"),
        ("10.0.0.1", "203.0.113.5, 10.0.0.2", "203.0.113.5"),
        ("10.0.0.1", "rubbish", "10.0.0.1"),
        ("10.0.0.1", "2001:db8::1", "2001:db8::1"),
        ("fe80::1%eth0", "", "fe80::1"),
        ("", "203.0.113.5", ""),
    ],
)
def test_only_a_listed_proxy_is_believed(remote: str, forwarded: str, ip: str) -> None:
    assert client_ip(remote, forwarded, PROXIES) == ip


def test_without_listed_proxies_the_header_means_nothing() -> None:
    assert client_ip("127.0.0.1", "203.0.113.5", []) == "127.0.0.1"


def test_the_origin_holds_while_the_request_is_answered() -> None:
    seen: list[Origin] = []

    def answer(request: HttpRequest) -> HttpResponse:
        seen.append(current.get())
        return HttpResponse()

    request = RequestFactory().get("/", headers={"user-agent": "x" * 300 + "\x07"})
    OriginMiddleware(answer)(request)
    assert seen[0].ip == "127.0.0.1"
    assert seen[0].user_agent == "x" * 200
    assert len(seen[0].request_id) == 32
    assert current.get() == NOWHERE
