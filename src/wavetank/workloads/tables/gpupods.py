"""Pods that request GPUs or parts of one, as Alibaba's traces and schedulers describe them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wavetank.cluster.objects.gpus import GPU_MODEL
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.workloads.tables.jobtable import Kind


@dataclass(frozen=True)
class GpuKind(Kind):
    """What a trace's pods are like: with annotations, and for nodes with one of the GPU `models` only, if any."""

    annotations: Mapping[str, str] = field(default_factory=dict)
    models: tuple[str, ...] = ()

    def model(self, specs: SpecTable) -> Pod:
        """Returns a pod to copy."""
        like = super().model(specs)
        metadata = {**like.manifest["metadata"], "annotations": dict(self.annotations)}
        spec = specs.intern({**like.spec.manifest, **_on_models(self.models)}) if self.models else like.spec
        return Pod({**like.manifest, "metadata": metadata}, spec, name=like.name, namespace=like.namespace)


def _on_models(models: tuple[str, ...]) -> dict[str, Any]:
    wanted = {"key": GPU_MODEL, "operator": "In", "values": list(models)}
    terms = {"nodeSelectorTerms": [{"matchExpressions": [wanted]}]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}}
