"""Functions of URLs, addresses and networks."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, parse_qs, urlsplit

from wavetank.cel.values import EvaluationError


@dataclass(frozen=True, slots=True)
class Url:
    """A URL taken apart."""

    parts: SplitResult


@dataclass(frozen=True, slots=True)
class Address:
    """An IP address."""

    address: ipaddress.IPv4Address | ipaddress.IPv6Address

    def __str__(self) -> str:
        return str(self.address)


@dataclass(frozen=True, slots=True)
class Network:
    """A network in the form of an address with the length of its prefix."""

    interface: ipaddress.IPv4Interface | ipaddress.IPv6Interface

    def __str__(self) -> str:
        return str(self.interface)


def _url(text: str) -> Url:
    why = "invalid URI for request" if text else "empty url"
    problem = EvaluationError(f'URL parse error during conversion from string: parse "{text}": {why}')
    if not text or any(char <= " " for char in text):
        raise problem
    try:
        parts = urlsplit(text)
    except ValueError:
        raise problem from None
    if not text.startswith("/") and not parts.scheme:
        raise problem
    return Url(parts)


def _address(text: str) -> Address:
    try:
        if "%" in text or ("::ffff:" in text.lower() and "." in text):
            raise ValueError(text)
        return Address(ipaddress.ip_address(text))
    except ValueError:
        raise EvaluationError(f"IP Address '{text}' parse error during conversion from string") from None


def _network(text: str) -> Network:
    try:
        if "/" not in text or "%" in text:
            raise ValueError(text)
        return Network(ipaddress.ip_interface(text))
    except ValueError:
        problem = "network address parse error during conversion from string"
        raise EvaluationError(f'{problem}: netip.ParsePrefix("{text}")') from None


def _reads(read: Callable[[str], object]) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        try:
            read(text)
        except EvaluationError:
            return False
        return True

    return check


def _contains_address(network: Network, other: Any) -> bool:
    address = _address(other) if isinstance(other, str) else other
    return address.address in network.interface.network


def _contains_network(network: Network, other: Any) -> bool:
    inner = _network(other) if isinstance(other, str) else other
    ours: Any = network.interface.network
    theirs = inner.interface.network
    return bool(ours.version == theirs.version and theirs.subnet_of(ours))


def _ip(value: Any) -> Address:
    return Address(value.interface.ip) if isinstance(value, Network) else _address(value)


def _masked(network: Network) -> Network:
    return Network(ipaddress.ip_interface(str(network.interface.network)))


def _is_local_multicast(address: Address) -> bool:
    return address.address.is_multicast and str(address).startswith(("224.0.0.", "ff02"))


NETWORK_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "url": _url,
    "isURL": _reads(_url),
    "getScheme": lambda url: url.parts.scheme,
    "getHost": lambda url: url.parts.netloc.rpartition("@")[2],
    "getHostname": lambda url: url.parts.hostname or "",
    "getPort": lambda url: str(url.parts.port or ""),
    "getEscapedPath": lambda url: url.parts.path,
    "getQuery": lambda url: parse_qs(url.parts.query, keep_blank_values=True),
    "ip": _ip,
    "isIP": _reads(_address),
    "ip.isCanonical": lambda text: str(_address(text)) == text,
    "family": lambda address: address.address.version,
    "isUnspecified": lambda address: address.address.is_unspecified,
    "isLoopback": lambda address: address.address.is_loopback,
    "isLinkLocalMulticast": _is_local_multicast,
    "isLinkLocalUnicast": lambda address: address.address.is_link_local,
    "isGlobalUnicast": lambda address: (
        not (
            address.address.is_multicast
            or address.address.is_loopback
            or address.address.is_link_local
            or address.address.is_unspecified
        )
    ),
    "cidr": _network,
    "isCIDR": _reads(_network),
    "containsIP": _contains_address,
    "containsCIDR": _contains_network,
    "masked": _masked,
    "prefixLength": lambda network: network.interface.network.prefixlen,
}
