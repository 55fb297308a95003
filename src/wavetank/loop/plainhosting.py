"""Puts a program as it is to its seat: TCP doors, kubeconfig, configuration, start."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path

from wavetank.apiserver.request import Request
from wavetank.errors import InputError
from wavetank.loop.connection import Connection
from wavetank.loop.definition import ProcessDefinition
from wavetank.loop.door import Door
from wavetank.loop.extenderproxy import ExtenderProxy
from wavetank.loop.freeprocess import FreeProcess
from wavetank.loop.hosting import write_configuration
from wavetank.loop.lockstep import START
from wavetank.loop.player import Player
from wavetank.loop.process import Start
from wavetank.loop.remote import RemoteProgram
from wavetank.loop.seat import Seat
from wavetank.loop.unmodified import UnmodifiedProcess

_HERE = ("127.0.0.1", 0)


def seat_plain(definition: ProcessDefinition, seat: Seat, folder: Path) -> None:
    """Starts a program in a folder of its own and seats it."""
    folder.mkdir()
    doors: list[Door] = []
    try:
        serve: Callable[[Connection, Request], None]
        serve = lambda connection, request: seat.serve(doors[0], connection, request)  # noqa: E731
        doors.append(_door(definition.listen or _HERE, serve))
        configured = definition.configuration.get("extenders") or []
        doors.extend(_door(_HERE, ExtenderProxy(config).serve) for config in configured)
        seat.take(_player(definition, doors, folder), doors)
    except BaseException:
        for door in doors:
            door.close()
        raise


def _player(definition: ProcessDefinition, doors: list[Door], folder: Path) -> Player:
    server, *extenders = (f"http://127.0.0.1:{door.listener.getsockname()[1]}" for door in doors)
    configuration = write_configuration(definition, folder, server, extenders)
    if definition.remote:
        return RemoteProgram(definition.name)
    start = _start(definition, configuration, folder, server)
    if definition.sync is not None:
        return FreeProcess(definition.name, start)
    return UnmodifiedProcess(definition.name, start, doors)


def _start(definition: ProcessDefinition, configuration: Path, folder: Path, server: str) -> Start:
    values = {"{kubeconfig}": str(folder / "kubeconfig"), "{config}": str(configuration), "{server}": server}
    command = [_fill(word, values) for word in definition.command]
    return Start(
        command=command or [definition.file, f"--config={configuration}", "--secure-port=0", *definition.arguments],
        environment={},
        log=folder / "log",
        seed=0,
        now=START,
        patience_s=definition.patience_s,
    )


def _fill(word: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        word = word.replace(name, value)
    return word


def _door(address: tuple[str, int], serve: Callable[[Connection, Request], None]) -> Door:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # connections inherit it: nothing waits for more
    try:
        listener.bind(address)
    except OSError as error:
        listener.close()
        raise InputError(f"cannot listen on {address[0]}:{address[1]}: {error}", path="listen") from None
    return Door(listener, serve)
