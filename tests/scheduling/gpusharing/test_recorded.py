"""The allocation of GPUs that the policies reach on openb, beside that of the simulator of the paper.

`fgd_expected_allo.csv` has ten seeds for each trace and policy. Our seeds draw other orders, so means are compared:
over three seeds of all traces and policies with WAVETANK_ALL=1, otherwise one seed of one trace and two policies.
"""

from __future__ import annotations

import csv
import os
from collections import defaultdict
from pathlib import Path
from statistics import mean, stdev

import pytest

from wavetank.experiments.document import API_VERSION, parse_experiment
from wavetank.experiments.podtable import PodTable
from wavetank.experiments.simulation import Simulation
from wavetank.workloads.inflation import known_pods
from workloads.inputs import real_file

ALL = bool(os.environ.get("WAVETANK_ALL"))
TRACES = ["default", "cpu100", "gpushare40", "gpuspec10", "multigpu20"] if ALL else ["default"]
POLICIES = ["Random", "DotProd", "GpuClustering", "GpuPacking", "BestFit", "FGD"]
SAMPLE = POLICIES if ALL else ["BestFit", "FGD"]
SEEDS = (42, 43, 44) if ALL else (42,)


def recorded(file):
    """Returns the last value of each of the ten seeds, by trace and policy."""
    values = defaultdict(list)
    with real_file(f"openb/{file}").open(newline="") as text:
        for row in csv.DictReader(text):
            final = [row[str(percent)] for percent in range(131) if row[str(percent)]][-1]
            values[row["workload"].removeprefix("openb_pod_list_"), row["sc_policy"][3:]].append(float(final))
    return values


def reached(trace):
    """Returns allocation and fragmentation of each policy on a trace, in the mean over the seeds."""
    folder = real_file("openb/openb_node_list_gpu_node.csv").parent
    spec = {
        "cluster": {"file": "openb_node_list_gpu_node.csv"},
        "workload": {"file": f"openb_pod_list_{trace}.csv", "inflate": {"resource": "gpu", "target": 1.3}},
        "schedulers": [{"name": policy} for policy in SAMPLE],
    }
    experiment = parse_experiment({"apiVersion": API_VERSION, "kind": "Experiment", "spec": spec}, Path(folder))
    figures = {}
    for entry in experiment.schedulers:
        runs = [figures_of(experiment, entry, seed) for seed in SEEDS]
        figures[entry.name] = tuple(mean(column) for column in zip(*runs, strict=True))
    return figures


def figures_of(experiment, entry, seed):
    recorder = Simulation(experiment.setting(entry), seed).run()
    return recorder.gpus.figures(PodTable(recorder), known_pods(experiment.workload, seed))


@pytest.mark.parametrize("trace", TRACES)
def test_allocation_and_fragmentation_are_those_of_the_paper(trace) -> None:
    allocations, fragments = recorded("fgd_expected_allo.csv"), recorded("fgd_expected_frag.csv")
    figures = reached(trace)
    for policy, (allocation, fragmentation) in figures.items():
        for value, expected in ((allocation, allocations), (fragmentation, fragments)):
            of_seeds = expected[trace, policy]
            near = max(0.5, 3 * stdev(of_seeds))
            assert value == pytest.approx(mean(of_seeds), abs=near), policy
    clear = [(a, b) for a in figures for b in figures if are_apart(allocations[trace, a], allocations[trace, b])]
    assert clear
    assert all(figures[worse][0] < figures[better][0] for worse, better in clear)


def are_apart(worse, better):
    """Tells whether one is better by more than the seeds scatter."""
    return mean(better) - mean(worse) > 2 * max(stdev(worse), stdev(better))
