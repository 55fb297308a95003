"""Starting a program that was built with the overlay: listeners, kubeconfig, configuration, process."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from wavetank.apiserver.requests.request import Request
from wavetank.cluster.releases import NEWEST, read_version
from wavetank.loop.extenders.proxy import serve_extender
from wavetank.loop.processes.configuration import complete
from wavetank.loop.processes.definition import ProcessDefinition, VolcanoProcess
from wavetank.loop.processes.process import Process, Start
from wavetank.loop.recipes import recipe_of
from wavetank.loop.transport.connection import Connection
from wavetank.loop.transport.listener import Listener
from wavetank.loop.turns.lockstep import START
from wavetank.loop.turns.participant import Participant
from wavetank.scheduling.framework.extenders.extenders import ExtenderClient

# Addresses that the overlay redirects to the Unix sockets of these names.
API_ADDRESS = "127.87.0.1"
_EXTENDER = "127.87.1.{}"


def launch_overlay(
    definition: ProcessDefinition,
    participant: Participant,
    folder: Path,
    seed: int,
    extenders: Mapping[str, ExtenderClient],
) -> None:
    """Starts a program in a folder of its own and attaches it; its random numbers depend on the seed.

    `extenders` are in this process, by urlPrefix.
    """
    folder.mkdir()
    listeners: list[Listener] = []
    try:
        listeners.append(
            open_listener(
                folder / API_ADDRESS, lambda connection, request: participant.serve(listeners[0], connection, request)
            )
        )
        configured = definition.configuration.get("extenders") or []
        listeners.extend(_extender_listeners(configured, folder, extenders))
        addresses = [f"http://{_EXTENDER.format(i)}" for i in range(1, len(configured) + 1)]
        process = Process(definition.name, _start(definition, folder, seed, addresses), listeners)
    except BaseException:
        for listener in listeners:
            listener.close()
        raise
    participant.take(process, listeners)


def _start(definition: ProcessDefinition, folder: Path, seed: int, extenders: list[str]) -> Start:
    server = f"http://{API_ADDRESS}"
    environment = {"WAVETANK_DOORS": str(folder)}
    if isinstance(definition, VolcanoProcess):
        flags = _volcano_flags(definition, folder, server)
        environment["DEBUG_SOCKET_DIR"] = str(folder / "debug")  # otherwise all of them share one in /tmp
    else:
        flags = [f"--config={write_configuration(definition, folder, server, extenders)}", "--secure-port=0"]
    return Start(
        command=[definition.file, *flags, *definition.arguments],
        environment=environment,
        log=folder / "log",
        seed=seed,
        now=START,
        patience_s=definition.patience_s,
    )


def _volcano_flags(definition: VolcanoProcess, folder: Path, server: str) -> list[str]:
    """Writes Volcano's configuration into a folder of its own, which it watches for changes.

    It would use its compiled-in configuration in place of an invalid one, and exits here.
    """
    flags = [f"--kubeconfig={write_kubeconfig(folder, server)}", f"--scheduler-name={definition.scheduler_name}"]
    if definition.conf:
        file = folder / "conf" / "volcano-scheduler.conf"
        file.parent.mkdir()
        file.write_text(definition.conf, encoding="utf-8")
        flags += [f"--scheduler-conf={file}", "--disable-default-scheduler-config"]
    return [*flags, *recipe_of(definition.package).flags]


def open_listener(path: Path, serve: Callable[[Connection, Request], None]) -> Listener:
    """Listens on a Unix socket whose name is an address that the overlay redirects there."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sock.bind(str(path))
    return Listener(sock, serve)


def _extender_listeners(
    configured: Sequence[Mapping[str, Any]], folder: Path, extenders: Mapping[str, ExtenderClient]
) -> list[Listener]:
    """Opens a proxy for each extender, so that no bytes are in flight that the simulation does not see."""
    return [
        open_listener(folder / _EXTENDER.format(i), serve_extender(config, extenders))
        for i, config in enumerate(configured, 1)
    ]


def write_configuration(definition: ProcessDefinition, folder: Path, server: str, extenders: list[str]) -> Path:
    """Writes the kubeconfig and the completed configuration of a program; `extenders` are the proxies' addresses."""
    kubeconfig, configuration = write_kubeconfig(folder, server), folder / "configuration.json"
    release = read_version(definition.version) or NEWEST
    configuration.write_text(json.dumps(complete(definition.configuration, str(kubeconfig), extenders, release)))
    return configuration


def write_kubeconfig(folder: Path, server: str) -> Path:
    """Writes a kubeconfig with the address of the API."""
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
