from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from wavetank.cluster.objects.groupkinds import (
    ADMISSION_CHECK,
    CLUSTER_QUEUE,
    COHORT,
    LOCAL_QUEUE,
    RESOURCE_FLAVOR,
    TOPOLOGY,
)
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.kueue import GROUP
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.kueue.checks import SIMULATED, controller_of_check, read_check
from wavetank.controllers.kueue.objects.clusterqueues import ClusterQueueSpec, CohortSpec, FlavorSpec, stop_policy
from wavetank.controllers.kueue.objects.topologies import TopologySpec
from wavetank.controllers.kueue.settings import CONFIGURATION, read_settings
from wavetank.errors import InputError


def check_objects(manifests: Iterable[Mapping[str, Any]]) -> None:
    """Refuses (InputError) objects of Kueue with values that it would refuse, or that are not modelled."""
    specs = SpecTable()
    for manifest in manifests:
        group = str(manifest.get("apiVersion") or "").partition("/")[0]
        if not group.endswith(GROUP):
            continue
        resource = parse_resource(manifest, specs)
        check = _CHECKS.get(resource.group_kind)
        try:
            if check is None:
                _refuse_kind(resource)
            else:
                check(resource)
        except InputError as error:
            raise error.inside(path=f"{resource.manifest_kind} {resource.name}") from None


def _check_check(check: Resource) -> None:
    name = controller_of_check(check)
    if name != SIMULATED:
        expected = f"the built-in Kueue has no controller {name!r:.60} of checks, only {SIMULATED}"
        raise InputError(expected, path="spec.controllerName")
    read_check(check)


def _check_configuration(configuration: Resource) -> None:
    read_settings(configuration.manifest)


_CHECKS: dict[str, Callable[[Resource], object]] = {
    CLUSTER_QUEUE: ClusterQueueSpec.parse,
    COHORT: CohortSpec.parse,
    RESOURCE_FLAVOR: FlavorSpec.parse,
    TOPOLOGY: TopologySpec.parse,
    LOCAL_QUEUE: stop_policy,
    ADMISSION_CHECK: _check_check,
    CONFIGURATION: _check_configuration,
}
_WITHOUT_RULES = ("WorkloadPriorityClass", "Workload")


def _refuse_kind(resource: Resource) -> None:
    if resource.manifest_kind not in _WITHOUT_RULES:
        raise InputError(f"the built-in Kueue does not model a {resource.manifest_kind}")
