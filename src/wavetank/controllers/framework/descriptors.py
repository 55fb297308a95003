"""Which controllers there are, by the names that kube-controller-manager gives them, and which of them are on."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from wavetank.cluster.objects.groupkinds import (
    CRON_JOB,
    DAEMON_SET,
    DEPLOYMENT,
    JOB,
    POD_DISRUPTION_BUDGET,
    REPLICA_SET,
    STATEFUL_SET,
    VOLCANO_JOB,
)
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.framework.context import ControllerContext
from wavetank.errors import InputError


@dataclass(frozen=True)
class ControllerDescriptor:
    """One controller: its older and shorter names, what wakes it, and the class that is made with the office then.

    `tables` are kinds: as long as there was never an object of any of them the controller is not even loaded. In a
    served cluster one that is `at_once` is at work from the beginning; a run does without it if it has no tables.
    """

    aliases: tuple[str, ...]
    tables: tuple[str, ...]
    where: str  # module:Class, below wavetank.controllers
    at_once: bool = False

    def fill(self, context: ControllerContext) -> None:
        """Lets the controller begin."""
        module, _, name = self.where.partition(":")
        getattr(importlib.import_module(f"wavetank.controllers.{module}"), name)(context)


_OWNERS = (
    *(REPLICA_SET, STATEFUL_SET, DAEMON_SET, JOB, CRON_JOB),
    VOLCANO_JOB,
)
CONTROLLERS: dict[str, ControllerDescriptor] = {
    "job-controller": ControllerDescriptor(("job",), (JOB,), "jobs.jobs:Jobs"),
    "deployment-controller": ControllerDescriptor(
        ("deployment",), (DEPLOYMENT,), "deployments.deployments:Deployments"
    ),
    "daemonset-controller": ControllerDescriptor(("daemonset",), (DAEMON_SET,), "daemonsets.daemonsets:DaemonSets"),
    "statefulset-controller": ControllerDescriptor(
        ("statefulset",), (STATEFUL_SET,), "statefulsets.statefulsets:StatefulSets"
    ),
    "replicaset-controller": ControllerDescriptor(("replicaset",), (REPLICA_SET,), "workloads.replicasets:ReplicaSets"),
    "cronjob-controller": ControllerDescriptor(("cronjob",), (CRON_JOB,), "cronjobs.cronjobs:CronJobs"),
    "ttl-after-finished-controller": ControllerDescriptor(("ttl-after-finished",), (JOB,), "jobs.ttl:FinishedJobs"),
    "namespace-controller": ControllerDescriptor(("namespace",), (), "lifecycle.namespaces:Namespaces", True),
    "serviceaccount-controller": ControllerDescriptor(
        ("serviceaccount",), (), "lifecycle.residents:ServiceAccounts", True
    ),
    "root-ca-certificate-publisher-controller": ControllerDescriptor(
        ("root-ca-cert-publisher",), (), "lifecycle.residents:RootCertificates", True
    ),
    "disruption-controller": ControllerDescriptor(("disruption",), (POD_DISRUPTION_BUDGET,), "budgets.budgets:Budgets"),
    "endpoints-controller": ControllerDescriptor(("endpoint",), (), "endpoints.endpoints:EndpointObjects", True),
    "endpointslice-controller": ControllerDescriptor(("endpointslice",), (), "endpoints.slices:EndpointSlices", True),
    "resourcequota-controller": ControllerDescriptor(("resourcequota",), ("ResourceQuota",), "quotas.quotas:Quotas"),
    "node-lifecycle-controller": ControllerDescriptor(("nodelifecycle",), (), "nodelife.nodetaints:NodeTaints", True),
    "taint-eviction-controller": ControllerDescriptor((), (), "nodelife.tainteviction:TaintEviction", True),
    "pod-garbage-collector-controller": ControllerDescriptor(("podgc",), (), "nodelife.podgc:PodCollector", True),
    "ttl-controller": ControllerDescriptor(("ttl",), (), "nodelife.nodettl:NodeTtl", True),
    "garbage-collector-controller": ControllerDescriptor(
        ("garbagecollector",), _OWNERS, "lifecycle.garbage:GarbageCollector", True
    ),
    # of Volcano's own controller manager, where it is called job-controller too
    "volcano-job-controller": ControllerDescriptor(("volcano-job",), (VOLCANO_JOB,), "volcanojobs.jobs:VolcanoJobs"),
}
# Controllers that stand outside of this frame but are switched with the others.
STORAGE = "persistentvolume-binder-controller"
EPHEMERAL = "ephemeral-volume-controller"
CLAIMS = "resourceclaim-controller"
_OUTSIDE = {
    STORAGE: ("persistentvolume-binder",),
    EPHEMERAL: ("ephemeral-volume",),
    CLAIMS: ("resource-claim-controller",),
}

EVERYTHING = "*"


def read_names(given: object, path: str = "") -> frozenset[str]:
    """Reads which controllers are on: a list or a text with commas, `*` for all, `-name` for not that one, or none.

    As with kube-controller-manager the first word about a controller counts, and those not named are off unless
    there is a `*`.
    """
    words = given.split(",") if isinstance(given, str) else given
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise InputError(f"expected a list of controllers, * or none, got {given!r:.60}", path=path)
    names = [word.strip() for word in words if word.strip()]
    if names == ["none"]:
        return frozenset()
    known = {name: list(aliases) for name, aliases in _everybody().items()}
    verdicts: dict[str, bool] = {}
    for word in names:
        if word != EVERYTHING:
            verdicts.setdefault(_full_name(word.removeprefix("-"), known, path), not word.startswith("-"))
    return frozenset(name for name in known if verdicts.get(name, EVERYTHING in names))


def all_names() -> frozenset[str]:
    """Returns the names of all controllers."""
    return frozenset(_everybody())


def start_controllers(context: ControllerContext, names: Collection[str], served: bool = False) -> None:
    """Lets the controllers of these names begin, each as soon as there is something for it to do."""
    for name, post in CONTROLLERS.items():
        if name in names:
            if (served and post.at_once) or any(context.store.has(table) for table in post.tables):
                post.fill(context)
            else:
                _LazyController(context, post, post.tables)


class _LazyController:
    """Waits for the first object that a controller has to do with."""

    def __init__(self, context: ControllerContext, post: ControllerDescriptor, tables: Iterable[str]) -> None:
        self._context = context
        self._post: ControllerDescriptor | None = post
        for table in tables:
            context.store.subscribe(table, self)

    def added(self, new: Resource) -> None:
        """Wakes the controller, which finds the object in the store."""
        if self._post is not None:
            post, self._post = self._post, None
            post.fill(self._context)

    def modified(self, old: Resource, new: Resource) -> None:
        """It was woken before."""

    def deleted(self, old: Resource) -> None:
        """It was woken before."""


def _everybody() -> dict[str, tuple[str, ...]]:
    return {**{name: post.aliases for name, post in CONTROLLERS.items()}, **_OUTSIDE}


def _full_name(word: str, known: dict[str, list[str]], path: str) -> str:
    for name, aliases in known.items():
        if word == name or word in aliases:
            return name
    near = get_close_matches(word, [*known, *(alias for aliases in known.values() for alias in aliases)], 1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    raise InputError(
        f"unknown controller {word!r:.60}{hint}: expected *, none or some of {', '.join(known)}", path=path
    )
