"""How the kinds that make pods are written."""

from __future__ import annotations

from wavetank.apiserver.strategies.strategy import Document, WriteContext

_TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"
_NAMES = ("job-name", "batch.kubernetes.io/job-name")
_OWNERS = ("controller-uid", "batch.kubernetes.io/controller-uid")

ORPHANED_PODS = (
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set "
    "propagationPolicy=Orphan to suppress this warning"
)


def prepare_job(job: Document, context: WriteContext) -> None:
    """Gives a new job the labels and the selector by which it knows its pods, unless it selects them by hand."""
    job["status"] = {}
    spec, metadata = job["spec"], job["metadata"]
    if spec.get("manualSelector"):
        return
    template = spec["template"].setdefault("metadata", {})
    labels = dict(template.get("labels") or {})
    labelled_as_template = (metadata.get("labels") or {}) == labels
    for name in _NAMES:
        labels.setdefault(name, metadata.get("name", ""))
    for name in _OWNERS:
        labels.setdefault(name, metadata.get("uid", ""))
    template["labels"] = labels
    if labelled_as_template:
        metadata["labels"] = dict(labels)
    selector = spec["selector"] = dict(spec.get("selector") or {})
    selector["matchLabels"] = {_OWNERS[1]: metadata.get("uid", ""), **(selector.get("matchLabels") or {})}


def job_gains_defaults(job: Document) -> bool:
    """Says whether a new job lacks defaults in the real store: if it took its labels from its template."""
    if job["spec"].get("manualSelector"):
        return False
    generated = (job["spec"]["template"].get("metadata") or {}).get("labels")
    return bool(job["metadata"].get("labels") == generated)


def prepare_daemon_set(daemon_set: Document, context: WriteContext) -> None:
    """Begins to count the versions of the template."""
    daemon_set["status"] = {}
    _note(daemon_set, max(1, _noted(daemon_set)))


def prepare_daemon_set_update(new: Document, old: Document, context: WriteContext) -> None:
    """Counts the versions of the template."""
    changed = new["spec"].get("template") != old["spec"].get("template")
    _note(new, _noted(old) + changed)


def prepare_daemon_set_status(new: Document, old: Document, context: WriteContext) -> None:
    """Keeps the count of the template's versions."""
    _note(new, _noted(old))


def prepare_stateful_set(stateful_set: Document, context: WriteContext) -> None:
    """Drops a field that is not yet enabled by default."""
    stateful_set["status"] = {}
    _drop_max_unavailable(stateful_set)


def prepare_stateful_set_update(new: Document, old: Document, context: WriteContext) -> None:
    """Drops a field that is not yet enabled by default."""
    _drop_max_unavailable(new)


def _drop_max_unavailable(stateful_set: Document) -> None:
    rolling = (stateful_set["spec"].get("updateStrategy") or {}).get("rollingUpdate") or {}
    rolling.pop("maxUnavailable", None)


def _noted(daemon_set: Document) -> int:
    text = (daemon_set["metadata"].get("annotations") or {}).get(_TEMPLATE_GENERATION, "0")
    return int(text) if text.isdecimal() else 0


def _note(daemon_set: Document, generation: int) -> None:
    metadata = daemon_set["metadata"]
    metadata["annotations"] = {**(metadata.get("annotations") or {}), _TEMPLATE_GENERATION: str(generation)}
