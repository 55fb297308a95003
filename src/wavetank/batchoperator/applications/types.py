from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.batchoperator.applications.application import ApplicationType
from wavetank.batchoperator.applications.flink import FlinkClusters, FlinkDeployments
from wavetank.batchoperator.applications.spark import SparkApplications
from wavetank.cluster.objects.groupkinds import GroupKind

_SPARK, _FLINK, _FLINK_NATIVE = SparkApplications(), FlinkClusters(), FlinkDeployments()

_BY_KIND: Mapping[GroupKind, ApplicationType] = {each.kind: each for each in (_SPARK, _FLINK, _FLINK_NATIVE)}


def application_of_kind(kind: GroupKind) -> ApplicationType:
    """Returns a kind of applications by its GroupKind."""
    return _BY_KIND[kind]


def application_type(spec: Mapping[str, Any]) -> ApplicationType:
    """Returns the kind of application of a BatchJob with this spec."""
    if "sparkSpec" in spec:
        return _SPARK
    return _FLINK_NATIVE if "jarURI" in (spec.get("flinkSpec") or {}) else _FLINK
