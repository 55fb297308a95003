"""The workloads of Batkube's thesis: 200 jobs of 170 s on 16 one-core nodes, through the real kube-scheduler."""

from __future__ import annotations

from tests.loop.programs import assert_nothing_over_allocated, run_real, seconds_of, told
from tests.support.paths import DATA, needs_shared

NODES = {"nodes": [{"count": 16, "cpu": 1, "memory": "4Gi"}]}
BURST = {"generator": {"kind": "burst", "pods": 200, "duration": 170, "requests": {"cpu": 1}}}
SPACED = DATA / "batkube-real-k3s" / "spaced_200_delay170.workload.json"


def test_the_burst_takes_13_waves_and_five_runs_are_the_same():
    runs = []
    for _ in range(5):
        recorder = run_real(cluster=NODES, workload=BURST)
        runs.append(told(recorder.rows))
    assert_nothing_over_allocated(recorder)
    assert all(row.phase == "Succeeded" for row in recorder.rows)
    assert max(seconds_of(row.finished) for row in recorder.rows) == 2210
    assert all(run == runs[0] for run in runs)


@needs_shared(SPACED)
def test_spaced_jobs_as_they_were_run_on_a_real_cluster():
    recorder = run_real(cluster=NODES, workload={"file": str(SPACED), "format": "batsim"})
    assert_nothing_over_allocated(recorder)
    assert len(recorder.rows) == 200
    assert all(row.phase == "Succeeded" for row in recorder.rows)
    again = run_real(cluster=NODES, workload={"file": str(SPACED), "format": "batsim"})
    assert told(again.rows) == told(recorder.rows)


def test_another_seed_is_another_run():
    """What the program draws (its map orders, its jitter) comes from the run's seed, and so do the job lengths."""
    workload = {"generator": {"kind": "poisson", "pods": 60, "rate": 1, "duration": {"uniform": [5, 90]}}}
    workload["generator"]["requests"] = {"cpu": "500m"}
    first, second, again = (told(run_real(seed, cluster=NODES, workload=workload).rows) for seed in (1, 2, 1))
    assert first == again != second
