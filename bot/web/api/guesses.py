"""How often one address may show a wrong token."""

import math
from collections import OrderedDict
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address

AT_ONCE = 60
"""Wrong tokens that are looked at, one right after the other; …"""

EVERY_S = 1.0
"""… and after those, one in this time."""

MOST_ADDRESSES = 10_000
"""Remembered at once; the one that was quiet longest is forgotten first."""


@dataclass(frozen=True, slots=True)
class _Left:
    """`count` guesses were left at `at`."""

    count: float
    at: float

    def now(self, now: float) -> float:
        return min(float(AT_ONCE), self.count + max(0.0, now - self.at) / EVERY_S)


class Guesses:
    def __init__(self) -> None:
        self._left: OrderedDict[str, _Left] = OrderedDict()

    def __len__(self) -> int:
        """How many addresses are remembered."""
        return len(self._left)

    def wait(self, address: str, now: float) -> int:
        """Whole seconds until a token from this address is looked at again; 0: it is looked at now."""
        left = self._left.get(place(address))
        have = float(AT_ONCE) if left is None else left.now(now)
        return 0 if have >= 1 else math.ceil((1 - have) * EVERY_S)

    def wrong(self, address: str, now: float) -> None:
        key = place(address)
        left = self._left.get(key, _Left(AT_ONCE, now))
        self._left[key] = _Left(left.now(now) - 1, now)
        self._left.move_to_end(key)
        while len(self._left) > MOST_ADDRESSES:
            self._left.popitem(last=False)


def place(address: str) -> str:
    """What counts as one address: of IPv6 a network of 64 bits, which is what one customer has."""
    try:
        known = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(known, IPv6Address):
        return address
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return str(IPv6Address(int(known) >> 64 << 64))
