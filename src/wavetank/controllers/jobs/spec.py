from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.objects.resource import Resource

_UNLIMITED = 2**31 - 1


class JobSpec:
    """The spec of a Job, with the API's defaults."""

    __slots__ = (
        "backoff_limit",
        "backoff_per_index",
        "completions",
        "deadline_s",
        "failure_policy",
        "indexed",
        "manifest",
        "max_failed_indexes",
        "parallelism",
        "success_policy",
        "suspended",
        "template",
    )

    def __init__(self, job: Resource) -> None:
        spec: Mapping[str, Any] = job.manifest.get("spec") or {}
        parallelism, completions = spec.get("parallelism"), spec.get("completions")
        self.manifest = spec
        self.template: Mapping[str, Any] = spec.get("template") or {}
        self.parallelism: int = 1 if parallelism is None else parallelism
        self.completions: int | None = 1 if completions is None and parallelism is None else completions
        self.indexed = spec.get("completionMode") == "Indexed"
        self.suspended = bool(spec.get("suspend"))
        self.deadline_s: int | None = spec.get("activeDeadlineSeconds")
        self.backoff_per_index: int | None = spec.get("backoffLimitPerIndex")
        self.max_failed_indexes: int | None = spec.get("maxFailedIndexes")
        limit = spec.get("backoffLimit")
        self.backoff_limit: int = (6 if self.backoff_per_index is None else _UNLIMITED) if limit is None else limit
        self.failure_policy: Mapping[str, Any] | None = spec.get("podFailurePolicy")
        self.success_policy: Mapping[str, Any] | None = spec.get("successPolicy")

    @property
    def replaces_only_failed(self) -> bool:
        """Tells whether a pod that is being deleted is replaced only after it has finished."""
        return self.manifest.get("podReplacementPolicy") == "Failed" or self.failure_policy is not None

    @property
    def restarts_in_place(self) -> bool:
        """Tells whether kubelets restart failed containers."""
        return (self.template.get("spec") or {}).get("restartPolicy") == "OnFailure"


def is_managed_elsewhere(job: Resource) -> bool:
    """Tells whether another controller manages a Job."""
    manager = (job.manifest.get("spec") or {}).get("managedBy")
    return manager is not None and manager != "kubernetes.io/job-controller"
