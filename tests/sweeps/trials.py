"""Small sweeps for the tests of this folder."""

from __future__ import annotations

from pathlib import Path

from wavetank.experiments.document.structures.spec import API_VERSION
from wavetank.sweeps.document import parse_sweep
from wavetank.sweeps.executors import on_this_machine
from wavetank.sweeps.runner import run_sweep

BURST = {"kind": "poisson", "rate": 1, "pods": 12, "duration": {"uniform": [5, 30]}, "requests": {"cpu": 1}}


def a_document(**spec):
    usual = {"cluster": {"nodes": [{"count": 4, "cpu": 2, "memory": "4Gi"}]}, "workload": {"generator": BURST}}
    return {"apiVersion": API_VERSION, "kind": "Experiment", "metadata": {"name": "trial"}, "spec": {**usual, **spec}}


def parsed(folder=Path(), **spec):
    return parse_sweep(a_document(**spec), folder)


def ran(out, executor=None, **spec):
    return run_sweep(parsed(**spec), out, "0.0", executor or on_this_machine(1))


def files_of(out):
    """Returns the content of all results but those of the wall clock, by path."""
    paths = [path for path in sorted(out.rglob("*")) if path.is_file() and ".runs" not in path.parts]
    return {str(path.relative_to(out)): path.read_bytes() for path in paths if path.name != "wall.json"}
