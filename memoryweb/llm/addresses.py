"""Addresses that a team's own endpoint may have: public ones alone, whatever its name says."""

import socket
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address

from django.utils.translation import gettext as _

from memoryweb.llm.exceptions import HostRefused


def public_addresses(host: str, port: int) -> Sequence[str]:
    """What the name resolves to now. Raises HostRefused if any of it isn't public, OSError if it
    has no address.

    One bad address is enough: a name with both would be tried until the bad one is taken. Connect
    to what this returns and never to the name, which may mean something else a moment later.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError:
        raise OSError from None
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if not addresses or not all(map(_is_public, addresses)):
        raise HostRefused(
            _("The model endpoint's address is private or of this machine, which is not allowed.")
        )
    return addresses


def _is_public(text: str) -> bool:
    try:
        address = _carried(ip_address(text))
    except ValueError:
        return False
    is_special = (
        address.is_multicast
        or address.is_reserved
        or address.is_unspecified
        or (isinstance(address, IPv6Address) and address.is_site_local)
    )
    return address.is_global and not is_special


def _carried(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The IPv4 address that a mapped or 6to4 one stands for."""
    if isinstance(address, IPv6Address):
        return address.ipv4_mapped or address.sixtofour or address
    return address
