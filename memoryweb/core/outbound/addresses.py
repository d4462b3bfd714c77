"""Which addresses may be called: asked for each connection, after the name was resolved."""

import ipaddress
import socket
from collections.abc import Collection

import httpcore
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
