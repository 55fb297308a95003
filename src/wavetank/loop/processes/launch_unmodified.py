"""Starting an unmodified program: TCP listeners, kubeconfig, configuration, process."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from pathlib import Path

from wavetank.apiserver.clock.control import as_response
from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.http.authentication import Authenticator
from wavetank.apiserver.requests.request import Request
from wavetank.errors import InputError
from wavetank.loop.extenders.proxy import serve_extender
from wavetank.loop.processes.definition import ProcessDefinition
from wavetank.loop.processes.freeprocess import FreeProcess
from wavetank.loop.processes.launch_overlay import write_configuration
from wavetank.loop.processes.process import Start
from wavetank.loop.processes.unmodified import UnmodifiedProcess
from wavetank.loop.timesteps.remote import RemoteProgram
from wavetank.loop.transport.connection import Connection
from wavetank.loop.transport.listener import Listener
from wavetank.loop.turns.lockstep import START
from wavetank.loop.turns.participant import Participant
from wavetank.loop.turns.steppedprocess import SteppedProcess
from wavetank.scheduling.framework.extenders.extenders import ExtenderClient

_HERE = ("127.0.0.1", 0)


def launch_unmodified(
    definition: ProcessDefinition, participant: Participant, folder: Path, extenders: Mapping[str, ExtenderClient]
) -> None:
    """Starts a program in a folder of its own and attaches it; `extenders` are in this process, by urlPrefix."""
    folder.mkdir()
    listeners: list[Listener] = []
    try:
        serve: Callable[[Connection, Request], None]
        serve = lambda connection, request: participant.serve(listeners[0], connection, request)  # noqa: E731
        address = definition.listen or _HERE
        listeners.append(_listener(address, _of_this_site(address[0], serve, lambda: listeners[0])))
        configured = definition.configuration.get("extenders") or []
        listeners.extend(_listener(_HERE, serve_extender(config, extenders)) for config in configured)
        participant.take(_process(definition, listeners, folder), listeners)
    except BaseException:
        for listener in listeners:
            listener.close()
        raise


def _process(definition: ProcessDefinition, listeners: list[Listener], folder: Path) -> SteppedProcess:
    server, *extenders = (f"http://127.0.0.1:{listener.socket.getsockname()[1]}" for listener in listeners)
    configuration = write_configuration(definition, folder, server, extenders)
    if definition.remote:
        return RemoteProgram(definition.name)
    start = _start(definition, configuration, folder, server)
    if definition.sync is not None:
        return FreeProcess(definition.name, start)
    return UnmodifiedProcess(definition.name, start, listeners)


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


def _of_this_site(
    host: str, serve: Callable[[Connection, Request], None], listener: Callable[[], Listener]
) -> Callable[[Connection, Request], None]:
    """Returns a function that refuses requests of foreign web pages, and serves the others."""
    guard = Authenticator(None, host)

    def check(connection: Connection, request: Request) -> None:
        try:
            guard.check_site(request.headers)
        except StatusError as error:
            connection.answer(as_response(error))
            listener().send(connection)
        else:
            serve(connection, request)

    return check


def _listener(address: tuple[str, int], serve: Callable[[Connection, Request], None]) -> Listener:
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # connections inherit it; nothing is delayed
    try:
        sock.bind(address)
    except OSError as error:
        sock.close()
        raise InputError(f"cannot listen on {address[0]}:{address[1]}: {error}", path="listen") from None
    return Listener(sock, serve, closes_idle=True)
