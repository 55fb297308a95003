"""Measures a week of a trace under Kueue with three cohorts: the real program in the loop, and the built-in one.

    python bench/kueue_week.py $WAVETANK_SHARED/data/swf/KTH-SP2-1996-2.1-cln.swf --week 10

Jobs of a trace in SWF become Jobs of Kubernetes, a pod of one CPU for each processor, in the LocalQueue of their user's
team. Nine teams in three cohorts share the machine; what is larger than a cohort is left out, and the end of the week
cuts off what still runs. Printed are the wall and CPU time, what was decided, and a hash of all decisions: equal hashes
are equal runs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

from wavetank.experiments.document.experiment import parse_experiment
from wavetank.simulation.simulation import Simulation
from wavetank.testing.queues import QueueHistory

Manifest = dict[str, Any]
API = "kueue.x-k8s.io/v1beta2"
WEEK_S = 7 * 86400
COHORTS, TEAMS = 3, 3  # teams of each cohort


def jobs_of(trace: Path, week: int, largest: int, days: float) -> list[Manifest]:
    """Reads the jobs that were submitted in a week of a trace, and are not larger than a cohort."""
    lines = (line.split() for line in trace.read_text(errors="replace").splitlines() if not line.startswith(";"))
    rows = [[float(field) for field in line] for line in lines if line]
    start = rows[0][1] + week * WEEK_S
    chosen = [row for row in rows if start <= row[1] < start + days * 86400 and 0 < row[4] <= largest and row[3] > 0]
    return [_job(row, row[1] - start) for row in chosen]


def _job(row: list[float], arrival_s: float) -> Manifest:
    number, seconds, processors, user = int(row[0]), row[3], int(row[4]), int(row[11])
    container = {"name": "c", "image": "work", "resources": {"requests": {"cpu": "1"}}}
    annotations = {"wavetank.dev/arrival": f"{arrival_s:g}s", "wavetank.dev/duration": f"{seconds:g}s"}
    labels = {"kueue.x-k8s.io/queue-name": f"team-{user % (COHORTS * TEAMS)}"}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": f"job-{number}", "namespace": "default", "labels": labels, "annotations": annotations},
        "spec": {"parallelism": processors, "completions": processors, "template": template},
    }


def queues(processors: int) -> list[Manifest]:
    """Returns nine ClusterQueues in three cohorts that share the processors."""
    made: list[Manifest] = [{"apiVersion": API, "kind": "ResourceFlavor", "metadata": {"name": "default"}}]
    quota = processors // (COHORTS * TEAMS)
    for team in range(COHORTS * TEAMS):
        resources = [{"name": "cpu", "nominalQuota": quota}]
        spec = {
            "cohortName": f"cohort-{team % COHORTS}",
            "namespaceSelector": {},
            "preemption": {"reclaimWithinCohort": "Any"},
            "resourceGroups": [{"coveredResources": ["cpu"], "flavors": [{"name": "default", "resources": resources}]}],
        }
        name = f"team-{team}"
        made.append({"apiVersion": API, "kind": "ClusterQueue", "metadata": {"name": name}, "spec": spec})
        place = {"name": name, "namespace": "default"}
        made.append({"apiVersion": API, "kind": "LocalQueue", "metadata": place, "spec": {"clusterQueue": name}})
    return made


def run(jobs: list[Manifest], processors: int, days: float, controllers: Any) -> QueueHistory:
    """Runs the jobs for the given days."""
    head = {"apiVersion": "wavetank.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "week"}}
    history = QueueHistory()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "jobs.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": jobs}))
        nodes = [{"count": processors // 4, "cpu": 4, "memory": "16Gi"}]
        spec = {
            "kubernetesVersion": "1.35",
            "cluster": {"nodes": nodes, "objects": queues(processors)},
            "workload": {"file": "jobs.json"},
            "controllers": controllers,
            "schedulers": [{"name": "default"}],
            "horizon": f"{days * 24:g}h",
        }
        experiment = parse_experiment({**head, "spec": spec}, Path(folder))
        Simulation(experiment.setting(experiment.schedulers[0]), 1, [history]).run()
    return history


def main() -> None:
    """Measures both and prints a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("trace", type=Path)
    parser.add_argument("--week", type=int, default=10)
    parser.add_argument("--days", type=float, default=7)
    parser.add_argument("--processors", type=int, default=108)
    parser.add_argument("--slack", default="1ms", help="timerSlack of the real one")
    parser.add_argument("--only", choices=["real", "built-in"])
    asked = parser.parse_args()
    jobs = jobs_of(asked.trace, asked.week, asked.processors // COHORTS, asked.days)
    pods = sum(job["spec"]["parallelism"] for job in jobs)
    print(f"{len(jobs)} jobs of {pods} pods in {asked.days:g} days")
    ways = {"built-in": "*", "real": [{"name": "kueue", "process": {"timerSlack": asked.slack}}]}
    for name, controllers in ways.items():
        if asked.only not in (None, name):
            continue
        begun, before = time.monotonic(), _cpu_s()
        history = run(jobs, asked.processors, asked.days, controllers)
        counts = ", ".join(f"{len(history.of(what))} {what}" for what in ("Admitted", "Preempted", "Finished"))
        digest = hashlib.sha256(repr(history.decisions).encode()).hexdigest()[:12]
        print(f"{name}: {time.monotonic() - begun:.1f} s, {_cpu_s() - before:.1f} s of CPU; {counts}; {digest}")


def _cpu_s() -> float:
    """Returns the CPU time of this process and of programs that it has started and that have ended."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


if __name__ == "__main__":
    main()
