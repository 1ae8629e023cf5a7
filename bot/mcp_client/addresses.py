"""Where a url may lead: decided on the addresses that its name has now, and then exactly those are used."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any
from urllib.parse import urlsplit

from bot.mcp_client.words import Refused, Unusable

Address = IPv4Address | IPv6Address

_NAT64 = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))
_RESOLVE_S = 10.0


@dataclass(frozen=True, slots=True)
class Origin:
    """The one place that a server's requests go to."""

    scheme: str
    host: str
    port: int


def origin(url: str) -> Origin:
    """Of an address as it stands in a configuration. Raises Refused."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise Refused("The url cannot be read, so nothing was contacted.") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Refused("The url begins with neither http:// nor https://, so nothing was contacted.")
    return Origin(parts.scheme, parts.hostname.lower(), port or (443 if parts.scheme == "https" else 80))


LookUp = Callable[[str, int], Awaitable[list[Any]]]
"""What `getaddrinfo` answers (socket module)."""


async def system_look_up(host: str, port: int) -> list[Any]:
    return await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)


async def resolved(host: str, port: int, *, allow_private: bool, look_up: LookUp = system_look_up) -> str:
    """An address of `host` that may be used. One that may not, among several, spoils them all.

    Raises Refused, or Unusable where the name has no address.
    """
    found = await _addresses(host, port, look_up)
    if not allow_private:
        for address in found:
            if not is_public(address):
                raise Refused(
                    f"{host} leads to {address}, which is no public address, so nothing was sent there. If that is meant, "
                    "set allow_private: true for this server."
                )
    return str(found[0])


async def _addresses(host: str, port: int, look_up: LookUp) -> list[Address]:
    try:
        return [ip_address(host.strip("[]").partition("%")[0])]
    except ValueError:
        pass
    try:
        async with asyncio.timeout(_RESOLVE_S):
            found = await look_up(host, port)
    except (OSError, UnicodeError, TimeoutError) as error:
        raise Unusable(f"The name {host} has no address.") from error
    addresses = [ip_address(str(one[4][0]).partition("%")[0]) for one in found]
    if not addresses:
        raise Unusable(f"The name {host} has no address.")
    return sorted(dict.fromkeys(addresses), key=lambda address: address.version)


def is_public(address: Address) -> bool:
    """Whether it belongs to a machine on the internet; not to this one, its network, or a cloud's own services."""
    if isinstance(address, IPv6Address):
        inner = _inside(address)
        if inner is not None:
            return is_public(inner)
    return address.is_global and not (
        address.is_multicast
        or address.is_reserved
        or address.is_unspecified
        or address.is_loopback
        or address.is_link_local
    )


def _inside(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that an IPv6 one stands for."""
    if address.ipv4_mapped:
        return address.ipv4_mapped
    if address.sixtofour:
        return address.sixtofour
    if address.teredo:
        return address.teredo[1]
    value = int(address)
    if value >> 32 == 0 and value > 1:
        return IPv4Address(value)
    if any(address in network for network in _NAT64):
        return IPv4Address(value & 0xFFFFFFFF)
    return None
