"""The table of built-in controllers, which of them a document or an option turns on, and how they are started."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.admissionpolicies.descriptor import ADMISSION_POLICY_STATUS_CONTROLLER
from wavetank.controllers.certificates.descriptor import CERTIFICATE_APPROVER, CERTIFICATE_CLEANER, CERTIFICATE_SIGNER
from wavetank.controllers.cronjobs.descriptor import CRON_JOB_CONTROLLER
from wavetank.controllers.daemonsets.descriptor import DAEMON_SET_CONTROLLER
from wavetank.controllers.deployments.descriptor import DEPLOYMENT_CONTROLLER
from wavetank.controllers.disruption.descriptor import DISRUPTION_CONTROLLER
from wavetank.controllers.endpoints.descriptor import (
    ENDPOINT_SLICE_CONTROLLER,
    ENDPOINT_SLICE_MIRRORING_CONTROLLER,
    ENDPOINTS_CONTROLLER,
)
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.descriptor import ControllerDescriptor
from wavetank.controllers.garbagecollector.descriptor import GARBAGE_COLLECTOR
from wavetank.controllers.jobs.descriptor import JOB_CONTROLLER, TTL_AFTER_FINISHED_CONTROLLER
from wavetank.controllers.kueue.descriptor import KUEUE, SIMULATED_CHECKS
from wavetank.controllers.namespaces.descriptor import NAMESPACE_CONTROLLER
from wavetank.controllers.nodelifecycle.descriptor import (
    NODE_LIFECYCLE_CONTROLLER,
    POD_GARBAGE_COLLECTOR,
    TAINT_EVICTION_CONTROLLER,
    TTL_CONTROLLER,
)
from wavetank.controllers.podautoscaler.descriptor import HORIZONTAL_POD_AUTOSCALER_CONTROLLER
from wavetank.controllers.replicasets.descriptor import REPLICA_SET_CONTROLLER, REPLICATION_CONTROLLER_CONTROLLER
from wavetank.controllers.resourceclaims.descriptor import RESOURCE_CLAIM_CONTROLLER
from wavetank.controllers.resourcequotas.descriptor import RESOURCE_QUOTA_CONTROLLER
from wavetank.controllers.scalingmodels.descriptor import SCALING_MODEL_CONTROLLER
from wavetank.controllers.serviceaccounts.descriptor import ROOT_CA_CERTIFICATE_PUBLISHER, SERVICE_ACCOUNT_CONTROLLER
from wavetank.controllers.statefulsets.descriptor import STATEFUL_SET_CONTROLLER
from wavetank.controllers.volcanojobs.descriptor import VOLCANO_JOB_CONTROLLER
from wavetank.controllers.volumes.descriptor import (
    EPHEMERAL_VOLUME_CONTROLLER,
    PERSISTENT_VOLUME_BINDER,
    PERSISTENT_VOLUME_CLAIM_PROTECTION,
    PERSISTENT_VOLUME_PROTECTION,
    VOLUME_ATTRIBUTES_CLASS_PROTECTION,
)
from wavetank.errors import InputError
from wavetank.words import did_you_mean

# In the order in which they start, and therefore see events of the same kind.
_DESCRIPTORS: tuple[ControllerDescriptor, ...] = (
    PERSISTENT_VOLUME_BINDER,
    EPHEMERAL_VOLUME_CONTROLLER,
    PERSISTENT_VOLUME_CLAIM_PROTECTION,
    PERSISTENT_VOLUME_PROTECTION,
    VOLUME_ATTRIBUTES_CLASS_PROTECTION,
    RESOURCE_CLAIM_CONTROLLER,
    SIMULATED_CHECKS,
    KUEUE,
    JOB_CONTROLLER,
    DEPLOYMENT_CONTROLLER,
    DAEMON_SET_CONTROLLER,
    STATEFUL_SET_CONTROLLER,
    REPLICA_SET_CONTROLLER,
    REPLICATION_CONTROLLER_CONTROLLER,
    CRON_JOB_CONTROLLER,
    TTL_AFTER_FINISHED_CONTROLLER,
    NAMESPACE_CONTROLLER,
    SERVICE_ACCOUNT_CONTROLLER,
    ROOT_CA_CERTIFICATE_PUBLISHER,
    CERTIFICATE_APPROVER,
    CERTIFICATE_SIGNER,
    CERTIFICATE_CLEANER,
    DISRUPTION_CONTROLLER,
    HORIZONTAL_POD_AUTOSCALER_CONTROLLER,
    SCALING_MODEL_CONTROLLER,
    ENDPOINTS_CONTROLLER,
    ENDPOINT_SLICE_CONTROLLER,
    ENDPOINT_SLICE_MIRRORING_CONTROLLER,
    ADMISSION_POLICY_STATUS_CONTROLLER,
    RESOURCE_QUOTA_CONTROLLER,
    NODE_LIFECYCLE_CONTROLLER,
    TAINT_EVICTION_CONTROLLER,
    POD_GARBAGE_COLLECTOR,
    TTL_CONTROLLER,
    GARBAGE_COLLECTOR,
    VOLCANO_JOB_CONTROLLER,
)
CONTROLLERS: dict[str, ControllerDescriptor] = {each.name: each for each in _DESCRIPTORS}

EVERYTHING = "*"


def read_names(given: object, path: str = "") -> frozenset[str]:
    """Reads which controllers are on: a list or a comma-separated text of names; `*` means all, `-name` turns one off.

    As in kube-controller-manager the first entry about a controller counts, and controllers that are not named are off
    unless there is a `*`. `none` alone turns all off. InputError for an unknown name.
    """
    words = given.split(",") if isinstance(given, str) else given
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise InputError(f"expected a list of controllers, * or none, got {given!r:.60}", path=path)
    names = [word.strip() for word in words if word.strip()]
    if names == ["none"]:
        return frozenset()
    enabled: dict[str, bool] = {}
    for word in names:
        if word != EVERYTHING:
            enabled.setdefault(_full_name(word.removeprefix("-"), path), not word.startswith("-"))
    return frozenset(name for name in CONTROLLERS if enabled.get(name, EVERYTHING in names))


def all_names() -> frozenset[str]:
    """Returns the names of all controllers."""
    return frozenset(CONTROLLERS)


def start_controllers(
    context: ControllerContext, names: Collection[str], served: bool = False
) -> dict[str, Callable[[], None]]:
    """Starts the controllers of these names, each as soon as there is an object for it to work on.

    Returns functions that start the others before there is one, by name; they do nothing once it has started.
    """
    waiting: dict[str, Callable[[], None]] = {}
    for descriptor in CONTROLLERS.values():
        if descriptor.name in names:
            from_start = served and descriptor.served_from_start
            if from_start or any(context.store.has(kind) for kind in descriptor.kinds):
                descriptor.start(context)
            else:
                waiting[descriptor.name] = _LazyController(context, descriptor).start
    return waiting


class _LazyController:
    """Starts a controller when the first object of one of its kinds is created."""

    def __init__(self, context: ControllerContext, descriptor: ControllerDescriptor) -> None:
        self._context = context
        self._descriptor = descriptor
        self._started = False
        for kind in descriptor.kinds:
            context.store.subscribe(kind, added=self._added)

    def start(self) -> None:
        """Starts the controller unless it has started."""
        if not self._started:
            self._started = True
            self._descriptor.start(self._context)

    def _added(self, new: Resource) -> None:
        self.start()  # it finds the object in the store


def check_flags(flags: Mapping[str, str]) -> None:
    """Refuses (InputError) flags of kube-controller-manager that no built-in controller reads, and bad values."""
    from wavetank.controllers.podautoscaler.configuration import PREFIX, Configuration

    for flag in flags:
        if not flag.startswith(PREFIX):
            raise InputError(f"no built-in controller reads the flag {flag!r}, only those that begin with {PREFIX}")
    Configuration.from_flags(flags)


def _full_name(word: str, path: str) -> str:
    names = {alias: each.name for each in _DESCRIPTORS for alias in (each.name, *each.aliases)}
    if word in names:
        return names[word]
    hint = did_you_mean(word, names)
    expected = ", ".join(CONTROLLERS)
    raise InputError(f"unknown controller {word!r:.60}{hint}: expected *, none or some of {expected}", path=path)
