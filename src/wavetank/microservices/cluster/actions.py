"""What happens to services on a cluster at given times: pods are killed, Deployments get more of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import DEPLOYMENT, POD
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.microservices.model.actions import Action, InjectDelay, KillInstances, StartInstances
from wavetank.microservices.model.rules import Rules

PodsOf = Callable[[str], list[tuple[str, str]]]

_KILLED = "Killed"


class ClusterActions:
    """Does the actions of an experiment that concern pods; `deployments` are by service."""

    def __init__(self, deployments: Mapping[str, str], pods_of: PodsOf) -> None:
        self.problems: list[str] = []
        self._deployments = deployments
        self._pods_of = pods_of

    def on_calls(self, actions: tuple[Action, ...]) -> tuple[Action, ...]:
        """Returns the actions that concern calls, which the requests' own simulation does."""
        return tuple(each for each in actions if isinstance(each, InjectDelay))

    def schedule(self, context: ActorContext, actions: tuple[Action, ...], rules: Rules) -> None:
        """Does the other actions at their times."""
        for action in actions:
            if isinstance(action, KillInstances):
                act = partial(self._kill, context.store, action)
            elif isinstance(action, StartInstances):
                act = partial(self._start, context.store, action)
            else:
                continue
            context.clock.at(rules.span(action.time), act)

    def _kill(self, store: Store, action: KillInstances) -> None:
        """Deletes pods without a grace period, the oldest first; their controller replaces them."""
        for key in self._pods_of(action.service)[: action.instances]:
            pod = store.find(POD, *key)
            if isinstance(pod, Pod):
                store.evict(pod, _KILLED, 0)

    def _start(self, store: Store, action: StartInstances) -> None:
        name = self._deployments[action.service]
        found = next((each for each in store.list(DEPLOYMENT) if each.name == name), None)
        if found is None:
            self.problems.append(f"there is no Deployment {name!r} that could get more pods")
            return
        present = (found.manifest.get("spec") or {}).get("replicas")
        wanted = max(0, (1 if present is None else int(present)) + action.instances)
        store.patch(DEPLOYMENT, found.namespace, name, {"spec": {"replicas": wanted}})
