from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from wavetank.cluster.fields.resources import format_amounts
from wavetank.kernel.durations import format_seconds
from wavetank.workloads.convert.losses import Losses
from wavetank.workloads.manifests.behavior import DURATION, EXIT_CODE, TERMINATION
from wavetank.workloads.manifests.expansion import ARRIVAL
from wavetank.workloads.records import Record, Records

_FOREVER = ["sleep", "infinity"]


def write_manifests(records: Records, path: Path, losses: Losses) -> int:
    """Writes a Pod for each pod, with annotations that say when it comes and how it runs; returns their number."""
    number = 0
    with path.open("w", encoding="utf-8", newline="\n") as out:
        for pod in _pods(records, losses):
            out.write("---\n")
            yaml.dump(pod, out, Dumper=_Dumper, sort_keys=False)
            number += 1
    return number


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """The safe dumper without anchors: pods share parts, and `*id001` is hard to read."""

    def ignore_aliases(self, data: Any) -> bool:
        """Writes every value out."""
        return True


def _pods(records: Records, losses: Losses) -> Iterator[dict[str, Any]]:
    for record in records():
        if record.behavior.flops:
            losses.left_out["job whose time depends on the host's speed"] += 1
            continue
        job = record.behavior.job
        losses.count("job whose pods start their work together", record.size > 1)
        losses.count("time limit of a job", job is not None and job.walltime is not None)
        for rank in range(record.size):
            yield _pod(record, record.name if record.size == 1 else f"{record.name}-{rank}")


def _pod(record: Record, name: str) -> dict[str, Any]:
    pod = record.pod.render()
    metadata = {**pod["metadata"], "name": name}
    annotations = {**(metadata.get("annotations") or {}), **_annotations(record)}
    metadata |= {"annotations": annotations}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": _spec(record, pod["spec"])}


def _annotations(record: Record) -> dict[str, str]:
    behavior = record.behavior
    annotations = {ARRIVAL: format_seconds(record.time)}
    if behavior.duration is not None:
        annotations[DURATION] = format_seconds(behavior.duration)
    if behavior.exit_code:
        annotations[EXIT_CODE] = str(behavior.exit_code & 255)
    if behavior.termination:
        annotations[TERMINATION] = format_seconds(behavior.termination)
    return annotations


def _spec(record: Record, spec: dict[str, Any]) -> dict[str, Any]:
    """Returns the spec with the record's requests, and with a command that does not end if the pod does not."""
    first, *others = spec["containers"]
    if record.requests is not record.pod.requests:
        first = {**first, "resources": {"requests": format_amounts(record.requests)}}
    if record.behavior.duration is None and first.get("command") == ["sleep"]:
        first = {**first, "command": _FOREVER}
    return {**spec, "containers": [first, *others]}
