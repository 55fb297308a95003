from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wavetank.cluster.releases import NEWEST, Version
from wavetank.errors import InputError
from wavetank.experiments.document.schedulers import entry_of, parse_entries
from wavetank.experiments.document.structures.values import parse_version
from wavetank.planning.simulatedcluster import ClusterOptions
from wavetank.scheduling.attachable import Attachable
from wavetank.simulation.latency.model import parse_latency

DEFAULT_LATENCY = "k3s"  # takes time, without which nothing would ever be disrupted


def read_options(
    scheduler: str | Path | type | Mapping[str, Any] = "default",
    latency: str | Mapping[str, Any] = DEFAULT_LATENCY,
    kubernetes_version: str | None = None,
    seed: int = 1,
) -> ClusterOptions:
    """Reads how a cluster is simulated: scheduler, latency model, release and seed; InputError if one is none."""
    version = parse_version(kubernetes_version, "kubernetesVersion") if kubernetes_version else NEWEST
    return ClusterOptions(read_scheduler(scheduler, version), parse_latency(latency, "latency"), version, seed)


def read_scheduler(scheduler: str | Path | type | Mapping[str, Any], version: Version) -> tuple[Attachable, ...]:
    """Reads a scheduler: a name, a KubeSchedulerConfiguration, module:Class, a class, or an entry of an experiment."""
    entry = scheduler if isinstance(scheduler, Mapping) else entry_of(scheduler)
    try:
        read = parse_entries([entry], Path.cwd(), version)[0]
    except InputError as error:
        raise InputError(error.message, source="scheduler") from None
    if read.processes:
        raise InputError("expected a built-in scheduler, not a program in the loop", source="scheduler")
    return read.schedulers
