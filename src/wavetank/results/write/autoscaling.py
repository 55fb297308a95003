"""The files of a run with autoscalers: autoscaling.csv and autoscalers.csv."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from wavetank.kernel.durations import SECOND
from wavetank.results import schema
from wavetank.results.metrics.autoscaling import AutoscalerFigures, Sync
from wavetank.results.write.csvfiles import write_rows


def write_autoscaling(autoscalers: Sequence[AutoscalerFigures], folder: Path) -> None:
    """Writes both tables, unless there are no autoscalers."""
    if autoscalers:
        rows = [_sync_row(each.name, sync) for each in autoscalers for sync in each.syncs]
        write_rows(folder, schema.AUTOSCALING, rows)
        write_rows(folder, schema.AUTOSCALERS, [_row(each) for each in autoscalers])


def _sync_row(name: str, sync: Sync) -> Mapping[str, object]:
    measured = sync.measured
    return {
        "hpa": name,
        "time_s": _rounded(sync.time / SECOND),
        "replicas": sync.replicas,
        "desired_replicas": sync.desired,
        "ready_pods": sync.ready,
        "metric": measured.metric if measured else "",
        "use": _rounded(measured.use) if measured else None,
        "target": _rounded(measured.target) if measured else None,
        "load_pods": None if sync.load is None else _rounded(sync.load),
        "rescaled": int(sync.rescaled),
    }


def _row(each: AutoscalerFigures) -> Mapping[str, object]:
    changes = [abs(change) for change in each.changes]
    return {
        "hpa": each.name,
        "scales": each.scales,
        "min_replicas": each.spec.min_replicas,
        "max_replicas": each.spec.max_replicas,
        "mean_pods": _rounded(each.mean_pods),
        "most_pods": each.pods.most,
        "pod_hours": _rounded(each.pods.hours),
        "missing_pod_hours": _rounded(each.missing_pod_hours),
        "time_above_target_s": _rounded(each.time_above_target / SECOND),
        "rescales": len(changes),
        "rescaled_replicas": sum(changes),
        "largest_rescale": max(changes, default=0),
        "direction_changes": each.direction_changes,
    }


def _rounded(value: float) -> str:
    return f"{value:.6f}".rstrip("0").rstrip(".")
