"""A real kube-controller-manager in the loop, in place of built-in controllers."""

from __future__ import annotations

from pathlib import Path

from wavetank.apiserver.requests.request import Request
from wavetank.cluster.store.store import Store
from wavetank.loop.processes.definition import ManagerDefinition
from wavetank.loop.processes.launch_overlay import API_ADDRESS, open_listener, write_kubeconfig
from wavetank.loop.processes.process import Process, Start
from wavetank.loop.turns.lockstep import START
from wavetank.loop.turns.participant import Participant
from wavetank.loop.turns.requestaudit import RequestAudit
from wavetank.loop.turns.waiting import WaitingPods

# One that is alone, talks to us without encryption and need not spare the server.
_FLAGS = (
    "--leader-elect=false",
    "--secure-port=0",
    "--use-service-account-credentials=false",
    "--kube-api-content-type=application/json",
    "--kube-api-qps=5000",
    "--kube-api-burst=5000",
)


class EveryTimer(WaitingPods):
    """What a program waits for whose own timers are part of what happens: always something, but no pods."""

    def __init__(self, store: Store) -> None:
        super().__init__(store, ())

    def __len__(self) -> int:
        return 1


class ManagerAudit(RequestAudit):
    """What a controller manager has done so far; it schedules nothing, whatever it writes about pods."""

    def attempted(self, request: Request) -> str | None:
        """Says of every request that it ends no attempt."""
        return None

    def fault(self, request: Request) -> str | None:
        """Finds nothing wrong: the API says what is."""
        return None


def launch_manager(definition: ManagerDefinition, participant: Participant, folder: Path, seed: int) -> None:
    """Starts the program in a folder of its own and seats it; what it draws depends on the seed."""
    folder.mkdir()
    listener = open_listener(
        folder / API_ADDRESS, lambda connection, request: participant.serve(listener, connection, request)
    )
    try:
        kubeconfig = write_kubeconfig(folder, f"http://{API_ADDRESS}")
        process = Process(definition.package, _start(definition, kubeconfig, folder, seed), [listener])
    except BaseException:
        listener.close()
        raise
    participant.take(process, [listener])


def _start(definition: ManagerDefinition, kubeconfig: Path, folder: Path, seed: int) -> Start:
    chosen = f"--controllers={','.join(definition.controllers)}"
    return Start(
        command=[definition.file, f"--kubeconfig={kubeconfig}", *_FLAGS, chosen, *definition.arguments],
        environment={"WAVETANK_DOORS": str(folder)},
        log=folder / "log",
        seed=seed,
        now=START,
        patience_s=definition.patience_s,
    )
