"""Real controllers in the loop: a kube-controller-manager in place of built-in ones, and any others."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from wavetank.apiserver.requests.request import Request
from wavetank.cluster.store.store import Store
from wavetank.kernel.durations import Nanoseconds
from wavetank.loop.processes.definition import ControllerDefinition, ManagerDefinition
from wavetank.loop.processes.launch_overlay import API_ADDRESS, open_listener, write_kubeconfig
from wavetank.loop.processes.process import Process, Start
from wavetank.loop.recipes import recipe_of
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
    """The audit of a controller's requests: it schedules no pods, whatever it writes about them."""

    @property
    def ready(self) -> bool:
        """Tells whether it has sent any request."""
        return bool(self.last_requests)

    @property
    def unready_problem(self) -> str:
        """Returns what is wrong with a program that sends none."""
        return "has sent no request: it never began"

    def attempted(self, request: Request) -> str | None:
        """Returns None: no request ends a scheduling attempt."""
        return None

    def fault(self, request: Request) -> str | None:
        """Returns None: the API itself refuses what is invalid."""
        return None


def manager_participant(store: Store, handle: Handle, wake: Callable[[], None], slack: Nanoseconds = 0) -> Participant:
    """Returns a participant for a controller, whose requests take no time; it is attached when it is launched."""
    audit, no_pods = ManagerAudit(store), WaitingPods(store, ())
    return Participant(store.clock, handle, no_pods, audit, lambda end: 0, wake, own_timers=True, slack=slack)


def launch_manager(definition: ManagerDefinition, participant: Participant, folder: Path, seed: int) -> None:
    """Starts the program in a folder of its own and attaches it; its random numbers depend on the seed."""
    chosen = f"--controllers={','.join(definition.controllers)}"
    words = [definition.file, "--kubeconfig={kubeconfig}", *_FLAGS, chosen, *definition.arguments]
    folder.mkdir()
    _launch(f"controller {definition.package}", words, {}, definition.patience_s, participant, folder, seed)


def launch_controller(definition: ControllerDefinition, participant: Participant, folder: Path, seed: int) -> None:
    """Starts the program in a folder of its own and attaches it; its random numbers depend on the seed."""
    flag = ["--kubeconfig={kubeconfig}"] if definition.has_flag else []
    recipe = recipe_of(definition.package)
    words = [definition.file, *flag, *recipe.flags, *definition.arguments]
    folder.mkdir()
    if definition.configuration is not None:
        configuration = folder / "configuration.json"
        configuration.write_text(json.dumps(definition.configuration), encoding="utf-8")
        words.insert(1, f"--config={configuration}")
    environment = {"KUBECONFIG": "{kubeconfig}", **recipe.environment, **definition.environment}
    _launch(f"controller {definition.name}", words, environment, definition.patience_s, participant, folder, seed)


def _launch(
    name: str,
    words: Sequence[str],
    environment: Mapping[str, str],
    patience_s: float,
    participant: Participant,
    folder: Path,
    seed: int,
) -> None:
    """Starts a command; in its words and environment `{kubeconfig}` stands for the name of that file."""
    listener = open_listener(
        folder / API_ADDRESS, lambda connection, request: participant.serve(listener, connection, request)
    )
    try:
        kubeconfig = str(write_kubeconfig(folder, f"http://{API_ADDRESS}"))
        named = {key: value.replace("{kubeconfig}", kubeconfig) for key, value in environment.items()}
        start = Start(
            command=[word.replace("{kubeconfig}", kubeconfig) for word in words],
            environment={"WAVETANK_DOORS": str(folder), **named},
            log=folder / "log",
            seed=seed,
            now=START,
            patience_s=patience_s,
        )
        process = Process(name, start, [listener])
    except BaseException:
        listener.close()
        raise
    participant.take(process, [listener])
