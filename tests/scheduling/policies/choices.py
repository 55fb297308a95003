"""One pod after the other on a few nodes, by a named scheduler."""

from pathlib import Path

from wavetank.experiments.document.experiment import parse_experiment
from wavetank.experiments.document.structures.spec import API_VERSION
from wavetank.experiments.recording import record


def chosen(policy, nodes, pods, args=None, every=1):
    """Returns the nodes of so many pods of one core, which come `every` so many seconds and stay.

    `nodes` are groups of one node each; or names with their cores.
    """
    if isinstance(nodes, dict):
        nodes = [{"name": name, "cpu": count, "memory": "1Gi"} for name, count in nodes.items()]
    generator = {"kind": "spaced", "every": every, "pods": pods, "requests": {"cpu": 1}}
    spec = {
        "cluster": {"nodes": nodes},
        "workload": {"generator": generator},
        "schedulers": [{"name": "tried", "policy": policy, **({"args": args} if args else {})}],
        "ties": "exact",
    }
    experiment = parse_experiment({"apiVersion": API_VERSION, "kind": "Experiment", "spec": spec}, Path.cwd())
    rows = record(experiment.setting(experiment.schedulers[0]), seed=1).rows
    return [row.node.removesuffix("-0") for row in rows]
