"""A real kube-controller-manager in the loop, in place of built-in controllers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from wavetank.apiserver.requests.request import Request
from wavetank.cluster.store.store import Store
from wavetank.loop.processes.definition import ManagerDefinition
from wavetank.loop.processes.launch_overlay import API_ADDRESS, open_listener, write_kubeconfig
from wavetank.loop.processes.process import Process, Start
from wavetank.loop.turns.lockstep import START
from wavetank.loop.turns.participant import Handle, Participant
from wavetank.loop.turns.requestaudit import RequestAudit
from wavetank.loop.turns.waiting import WaitingPods

# A single instance that speaks plain HTTP, without client-side rate limits.
_FLAGS = (
    "--leader-elect=false",
    "--secure-port=0",
    "--use-service-account-credentials=false",
    "--kube-api-content-type=application/json",
    "--kube-api-qps=5000",
    "--kube-api-burst=5000",
)


class ManagerAudit(RequestAudit):
    """The audit of a controller manager's requests: it schedules no pods, whatever it writes about them."""

    def attempted(self, request: Request) -> str | None:
        """Returns None: no request ends a scheduling attempt."""
        return None

    def fault(self, request: Request) -> str | None:
        """Returns None: the API itself refuses what is invalid."""
        return None


def manager_participant(store: Store, handle: Handle, wake: Callable[[], None]) -> Participant:
    """Returns a participant for a controller manager, whose requests take no time; `launch_manager` attaches it."""
    audit, no_pods = ManagerAudit(store), WaitingPods(store, ())
    return Participant(store.clock, handle, no_pods, audit, lambda end: 0, wake, own_timers=True)


def launch_manager(definition: ManagerDefinition, participant: Participant, folder: Path, seed: int) -> None:
    """Starts the program in a folder of its own and attaches it; its random numbers depend on the seed."""
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
