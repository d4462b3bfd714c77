import socket

import pytest

from memoryweb.core.outbound import AddressRefused, is_public, public_addresses
from tests.tables import every_row

PRIVATE = """
127.0.0.1 127.9.9.9 10.0.0.1 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 0.1.2.3
224.0.0.1 255.255.255.255 240.0.0.1 192.0.2.1 198.18.0.1 ::1 :: fe80::1 fe80::1%eth0 fc00::1 fd12::1
ff02::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 64:ff9b::7f00:1 2002:7f00:1:: 2002:a00:1:: 2001:db8::1
not-an-address
"""


def resolving(monkeypatch: pytest.MonkeyPatch, *found: str) -> None:
    entries = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, 443)) for one in found]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_named: entries)


@every_row(PRIVATE.split())
def test_no_address_of_a_private_network_is_public(text: str) -> None:
    assert not is_public(text)


@pytest.mark.parametrize("text", ["93.184.216.34", "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8"])
def test_an_address_of_the_internet_is(text: str) -> None:
    assert is_public(text)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::1]"])
def test_however_this_machine_is_written_it_is_refused(host: str) -> None:
    with pytest.raises(AddressRefused):
        public_addresses(host, 80)


def test_one_private_address_of_several_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    resolving(monkeypatch, "8.8.8.8", "10.0.0.1")
    with pytest.raises(AddressRefused):
        public_addresses("rebound.example", 443)


def test_an_operator_may_allow_a_host_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    resolving(monkeypatch, "10.0.0.7")
    assert public_addresses("Hooks.internal", 443, {"hooks.internal"}) == ["10.0.0.7"]
    with pytest.raises(AddressRefused):
        public_addresses("other.internal", 443, {"hooks.internal"})


def test_a_name_that_nobody_knows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_args: object, **_named: object) -> None:
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(AddressRefused):
        public_addresses("nowhere.example", 443)
