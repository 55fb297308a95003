"""Puts a program to its seat: doors, kubeconfig, configuration, start."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from wavetank.apiserver.request import Request
from wavetank.loop.completing import complete
from wavetank.loop.connection import Connection
from wavetank.loop.definition import ProcessDefinition
from wavetank.loop.door import Door
from wavetank.loop.extenderproxy import ExtenderProxy
from wavetank.loop.lockstep import START
from wavetank.loop.process import Process, Start
from wavetank.loop.seat import Seat

# Addresses that the overlay takes to the Unix sockets of these names.
API_ADDRESS = "127.87.0.1"
_EXTENDER = "127.87.1.{}"


def seat_process(definition: ProcessDefinition, seat: Seat, folder: Path, seed: int) -> None:
    """Starts a program in a folder of its own and seats it; what it draws depends on the seed."""
    folder.mkdir()
    doors: list[Door] = []
    try:
        doors.append(
            open_door(folder / API_ADDRESS, lambda connection, request: seat.serve(doors[0], connection, request))
        )
        configured = definition.configuration.get("extenders") or []
        doors.extend(_extender_doors(configured, folder))
        addresses = [f"http://{_EXTENDER.format(i)}" for i in range(1, len(configured) + 1)]
        file = write_configuration(definition, folder, f"http://{API_ADDRESS}", addresses)
        player = Process(definition.name, _start(definition, file, folder, seed), doors)
    except BaseException:
        for door in doors:
            door.close()
        raise
    seat.take(player, doors)


def _start(definition: ProcessDefinition, configuration: Path, folder: Path, seed: int) -> Start:
    return Start(
        command=[definition.file, f"--config={configuration}", "--secure-port=0", *definition.arguments],
        environment={"WAVETANK_DOORS": str(folder)},
        log=folder / "log",
        seed=seed,
        now=START,
        patience_s=definition.patience_s,
    )


def open_door(path: Path, serve: Callable[[Connection, Request], None]) -> Door:
    """Listens at a Unix socket, whose name is an address that the overlay takes there."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    return Door(listener, serve)


def _extender_doors(configured: Sequence[Mapping[str, Any]], folder: Path) -> list[Door]:
    """Opens a door for each extender: what goes to it goes through us, so that no byte is under way unseen."""
    return [
        open_door(folder / _EXTENDER.format(i), ExtenderProxy(config).serve) for i, config in enumerate(configured, 1)
    ]


def write_configuration(definition: ProcessDefinition, folder: Path, server: str, extenders: list[str]) -> Path:
    """Writes the kubeconfig and the completed configuration of a program; the extenders' addresses are ours."""
    kubeconfig, configuration = write_kubeconfig(folder, server), folder / "configuration.json"
    configuration.write_text(json.dumps(complete(definition.configuration, str(kubeconfig), extenders)))
    return configuration


def write_kubeconfig(folder: Path, server: str) -> Path:
    """Writes the kubeconfig that leads a program to the API."""
    kubeconfig = folder / "kubeconfig"
    kubeconfig.write_text(json.dumps(_kubeconfig(server)))
    return kubeconfig


def _kubeconfig(server: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "wavetank", "cluster": {"server": server}}],
        "users": [{"name": "wavetank", "user": {}}],
        "contexts": [{"name": "wavetank", "context": {"cluster": "wavetank", "user": "wavetank"}}],
        "current-context": "wavetank",
    }
