from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.batchoperator.applications.application import ApplicationType
from wavetank.batchoperator.applications.flink import FlinkClusters, FlinkDeployments
from wavetank.batchoperator.applications.spark import SparkApplications

_SPARK, _FLINK, _FLINK_NATIVE = SparkApplications(), FlinkClusters(), FlinkDeployments()


def application_type(spec: Mapping[str, Any]) -> ApplicationType:
    """Returns the kind of application of a BatchJob with this spec."""
    if "sparkSpec" in spec:
        return _SPARK
    return _FLINK_NATIVE if "jarURI" in (spec.get("flinkSpec") or {}) else _FLINK
