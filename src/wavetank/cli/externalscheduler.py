"""What the commands of the batch operator have in common: the options of the External Scheduler Interface."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

import click

from wavetank.batchoperator.esi.interface import Interface
from wavetank.batchoperator.esi.serving import ServedInterface
from wavetank.batchoperator.resources.groups import ESI, GROUPS, ApiGroup
from wavetank.cli.addresses import warn_of_network
from wavetank.errors import InputError

_GROUPS = {group.name: group for group in GROUPS}


@dataclass(frozen=True)
class InterfaceOptions:
    """Where the interface is served, for which namespace and API group, and with which token."""

    address: str
    namespace: str
    api_group: str
    token: str | None
    no_auth: bool

    def listen(self, make: Callable[[str, ApiGroup], Interface]) -> ServedInterface:
        """Takes the address and prints it; `make` returns the interface of a namespace and an API group."""
        if self.token is not None and self.no_auth:
            raise click.UsageError("--token and --no-auth cannot be used together")
        if self.token is not None and not self.token.strip():
            raise click.UsageError("--token: expected a text")
        host, port = read_address(self.address, "--interface")
        token = None if self.no_auth else self.token or secrets.token_urlsafe(24)
        served = ServedInterface.listen(make(self.namespace, _GROUPS[self.api_group]), host, port, token)
        warn_of_network("--interface", host, secret=token is not None)
        click.echo(f"interface: {served.url}")
        click.echo(f"page:      {served.page}")
        return served


def interface_options(function: Callable[..., None]) -> Callable[..., None]:
    """Adds the options of InterfaceOptions to a command."""
    for option in (
        click.option("--no-auth", is_flag=True, help="Accept requests to the interface without a token."),
        click.option("--token", metavar="T", help="The token of the interface.  [default: a random one]"),
        click.option(
            "--api-group",
            type=click.Choice(list(_GROUPS)),
            default=ESI.name,
            show_default=True,
            help="The API group of the interface; the second one is that of older versions.",
        ),
        click.option("--namespace", default="default", show_default=True, help="The namespace of the interface."),
        click.option(
            "--interface",
            default="127.0.0.1:8082",
            show_default=True,
            help="The address of the External Scheduler Interface: HOST:PORT; port 0 picks a free one.",
        ),
    ):
        function = option(function)
    return function


def read_address(text: str, flag: str) -> tuple[str, int]:
    """Reads HOST:PORT; without a host it is the loopback address."""
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise InputError(f"expected HOST:PORT, got {text!r}", path=flag)
    return host.strip("[]") or "127.0.0.1", int(port)
