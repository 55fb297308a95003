"""Defaults of the group batch."""

from __future__ import annotations

from wavetank.apiserver.defaulting.fields import Document, default, fill, items, optional, part
from wavetank.apiserver.defaulting.pods import default_template

_UNLIMITED = 2**31 - 1


def default_job(job: Document) -> None:
    """Completes a job; it is labelled as its pods are."""
    spec = part(job, "spec")
    if "parallelism" not in spec:
        default(spec, "completions", 1)
    fill(spec, parallelism=1, completionMode="NonIndexed", suspend=False, manualSelector=False)
    default(spec, "backoffLimit", _UNLIMITED if "backoffLimitPerIndex" in spec else 6)
    default(spec, "podReplacementPolicy", "Failed" if "podFailurePolicy" in spec else "TerminatingOrFailed")
    labels = optional(spec, "template", "metadata").get("labels")
    if labels:
        default(part(job, "metadata"), "labels", dict(labels))
    _default_template(spec)


def default_cron_job(cron_job: Document) -> None:
    """Completes a cron job; its template is completed only as far as its pods are concerned."""
    spec = part(cron_job, "spec")
    fill(spec, concurrencyPolicy="Allow", suspend=False, successfulJobsHistoryLimit=3, failedJobsHistoryLimit=1)
    _default_template(part(part(spec, "jobTemplate"), "spec"))


def _default_template(spec: Document) -> None:
    default_template(part(spec, "template"))
    for rule in items(optional(spec, "podFailurePolicy"), "rules"):
        for pattern in items(rule, "onPodConditions"):
            pattern["status"] = pattern.get("status") or "True"
