"""The Deployments that the services of an experiment name."""

from __future__ import annotations

from collections.abc import Collection

from wavetank.cluster.objects.resource import Resource
from wavetank.errors import InputError
from wavetank.experiments.document.structures.services import ServicesSpec
from wavetank.microservices.misim.fields import hint
from wavetank.workloads.cluster import Cluster
from wavetank.workloads.generators.generators import Generator, Generators
from wavetank.workloads.manifests.submissions import SubmittedWorkload
from wavetank.workloads.open import OpenedWorkload
from wavetank.workloads.workload import NoWorkload, Workload


def check_deployments(spec: ServicesSpec | None, cluster: Cluster, workload: Workload, path: str) -> None:
    """Refuses a service whose Deployment does not exist, or is another service's.

    A Deployment without a service is none of its business: it runs beside. What a trace contains is not known before
    the run, which warns instead.
    """
    if spec is None:
        return
    submitted = _names(workload)
    known = None if submitted is None else {*submitted, *_owners(cluster)}
    taken: dict[str, str] = {}
    for i, service in enumerate(spec.services):
        name = service.deployment or service.name
        where = f"{path}.services[{i}].{'name' if service.deployment is None else 'deployment'}"
        if name in taken:
            raise InputError(f"the pods of {name!r} are instances of service {taken[name]!r} already", path=where)
        taken[name] = service.name
        if known is not None and name not in known:
            raise InputError(_missing(name, known), path=where)


def _missing(name: str, known: Collection[str]) -> str:
    return f"no Deployment {name!r} in the cluster or the workload{hint(name, known)}"


def _owners(cluster: Cluster) -> set[str]:
    """Returns the names of pods and of objects with a template for pods."""
    found = (each for each in cluster.manifests if each.get("kind") == "Pod" or "template" in (each.get("spec") or {}))
    return {Resource(manifest).name for manifest in found}


def _names(workload: Workload) -> set[str] | None:
    """Returns the names of what a workload submits; None if that is known only in the run."""
    if isinstance(workload, OpenedWorkload):
        return _names(workload.workload)
    if isinstance(workload, SubmittedWorkload):
        return workload.names()
    return set() if isinstance(workload, NoWorkload | Generator | Generators) else None
