"""What the results say of shared GPUs, and that they say nothing where none are shared."""

from __future__ import annotations

import csv
import json

import pytest

import wavetank
from wavetank.cluster.objects.gpus import GPU_COUNT, GPU_MILLI

CLUSTER = {"nodes": [{"count": 2, "cpu": 8, "memory": "8Gi", "resources": {"nvidia.com/gpu": 2}}]}


def pods(*wishes):
    """Makes pods of (GPUs, thousandths of each, seconds that they run)."""
    for number, (gpus, milli, seconds) in enumerate(wishes):
        annotations = {GPU_COUNT: str(gpus), GPU_MILLI: str(milli)} if gpus else {}
        if seconds:
            annotations["wavetank.dev/duration"] = str(seconds)
        container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}
        metadata = {"name": f"p{number}", "annotations": annotations}
        spec = {"containers": [container], "restartPolicy": "Never"}
        yield {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def run(tmp_path, *wishes, schedulers=("GpuPacking",)):
    file = tmp_path / "pods.yaml"
    file.write_text("\n---\n".join(map(json.dumps, pods(*wishes))))
    return wavetank.run(cluster=CLUSTER, workload=file, schedulers=list(schedulers), out=tmp_path / "out", jobs=1)


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_what_pods_hold_in_the_end(tmp_path) -> None:
    """Of four GPUs: 0.5, 0.4 and one whole; 2.1 are free. Usual pods want a half, 0.4, one or none, equally often.

    0.1 is lost to those with GPUs, 2.1 to those without: (3 · 0.1 + 2.1) / 4 = 0.6 of 4.
    """
    results = run(tmp_path, (1, 500, 0), (1, 400, 0), (1, 1000, 0), (0, 0, 0))
    (summary,) = rows(results.folder / "summary.csv")
    assert float(summary["gpu_allocation"]) == pytest.approx(100 * 1.9 / 4)
    assert float(summary["gpu_fragmentation"]) == pytest.approx(100 * 0.6 / 4)
    got = [(row["gpu_milli"], row["gpus"]) for row in rows(results.folder / "GpuPacking/seed-1/pods.csv")]
    assert got == [("500", "0"), ("400", "0"), ("1000", "1"), ("0", "")]


def test_the_mean_over_the_makespan_where_pods_end(tmp_path) -> None:
    results = run(tmp_path, (2, 1000, 10), (1, 500, 20))
    (summary,) = rows(results.folder / "summary.csv")
    assert float(summary["gpu_allocation"]) == pytest.approx(100 * (2 * 10 + 0.5 * 20) / 20 / 4)
    assert "gpu_fragmentation" not in summary


def test_nothing_is_said_of_schedulers_that_deal_out_no_devices(tmp_path) -> None:
    results = run(tmp_path, (1, 500, 0), schedulers=("default", "BestFit"))
    default, best_fit = rows(results.folder / "summary.csv")
    assert (default["gpu_allocation"], best_fit["gpu_allocation"]) == ("", "12.5")
    assert "gpus" not in rows(results.folder / "default/seed-1/pods.csv")[0]
    alone = run(tmp_path, (1, 500, 0), schedulers=("default",))
    assert not [column for column in rows(alone.folder / "summary.csv")[0] if "gpu" in column]
