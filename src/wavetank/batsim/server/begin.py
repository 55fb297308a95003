"""SIMULATION_BEGINS."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wavetank.batsim.jobs.workload import Workload
from wavetank.batsim.platform.machine import Machine
from wavetank.batsim.platform.platform import Platform
from wavetank.batsim.server.options import ServerOptions


def simulation_begins(platform: Platform, workloads: Iterable[Workload], options: ServerOptions) -> dict[str, Any]:
    """Returns what the first message tells of the platform, the options and the workloads."""
    workloads = list(workloads)
    return {
        "nb_resources": platform.size,
        "nb_compute_resources": len(platform.machines),
        "nb_storage_resources": len(platform.storages),
        "allow_compute_sharing": options.compute_sharing,
        "allow_storage_sharing": options.storage_sharing,
        "config": options.config(),
        "compute_resources": list(map(_resource, platform.machines)),
        "storage_resources": list(map(_resource, platform.storages)),
        "workloads": {workload.name: workload.path for workload in workloads},
        "profiles": {workload.name: workload.profiles.raw for workload in workloads},
    }


def _resource(machine: Machine) -> dict[str, object]:
    return {
        "id": machine.number,
        "name": machine.name,
        "state": str(machine.state),
        "properties": machine.properties,
        "zone_properties": machine.zone_properties,
    }
