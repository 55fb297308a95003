"""A real kube-controller-manager in the loop, in place of built-in controllers."""

from __future__ import annotations

from pathlib import Path

from wavetank.apiserver.request import Request
from wavetank.cluster.store import Store
from wavetank.loop.conduct import Conduct
from wavetank.loop.definition import ManagerDefinition
from wavetank.loop.hosting import API_ADDRESS, open_door, write_kubeconfig
from wavetank.loop.lockstep import START
from wavetank.loop.process import Process, Start
from wavetank.loop.seat import Seat
from wavetank.loop.waiting import WaitingPods

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


class ManagerConduct(Conduct):
    """What a controller manager has done so far; it schedules nothing, whatever it writes about pods."""

    def attempted(self, request: Request) -> str | None:
        """Says of every request that it ends no attempt."""
        return None

    def fault(self, request: Request) -> str | None:
        """Finds nothing wrong: the API says what is."""
        return None


def seat_manager(definition: ManagerDefinition, seat: Seat, folder: Path, seed: int) -> None:
    """Starts the program in a folder of its own and seats it; what it draws depends on the seed."""
    folder.mkdir()
    door = open_door(folder / API_ADDRESS, lambda connection, request: seat.serve(door, connection, request))
    try:
        kubeconfig = write_kubeconfig(folder, f"http://{API_ADDRESS}")
        player = Process(definition.package, _start(definition, kubeconfig, folder, seed), [door])
    except BaseException:
        door.close()
        raise
    seat.take(player, [door])


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
