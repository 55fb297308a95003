"""The addresses of a server that listens on a host."""

from __future__ import annotations

import socket
from contextlib import suppress

import click

_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}  # and how the server is reached from here


def is_loopback(host: str) -> bool:
    """Tells whether only programs on this machine reach a server that listens on a host."""
    return host == "localhost" or host.startswith("127.") or host == "::1"


def warn_of_network(option: str, host: str, *, secret: bool, tls: bool = False) -> None:
    """Warns if a server listens on the network without a token, or without TLS, which would hide the token."""
    if is_loopback(host) or (secret and tls):
        return
    why = "without TLS: the token can be read on the network" if secret else "without a token: anyone there can use it"
    click.echo(f"warning: {option} {host or '0.0.0.0'} {why}", err=True)


def own_addresses(host: str) -> list[str]:
    """Returns the address of this machine in its network, if the server listens on all; nothing is sent."""
    if host not in _EVERYWHERE:
        return []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect(("192.0.2.1", 9))  # an address for documentation: any that is not of this network
        return [probe.getsockname()[0]]
    return []


def url_of(host: str, listening: socket.socket, tls: bool) -> str:
    """Returns the address of a listening server, as seen from this machine."""
    name, port = _EVERYWHERE.get(host, host), listening.getsockname()[1]
    return f"{'https' if tls else 'http'}://{f'[{name}]' if ':' in name else name}:{port}"
