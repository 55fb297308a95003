"""The three workloads of the thesis, and its two clusters."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from wavetank.studies.batkube.thesis import BURST, REALISTIC, SPACED
from wavetank.studies.data import DataSet

JOBS, LENGTH, EVERY = 200, 170, 10
RELEASE = "1.19"

KIT = DataSet(
    name="batkube-kit",
    what="the realistic workload: 39 jobs of the ForHLR II log of KIT, as Batkube cut and scaled them",
    origin="https://github.com/oar-team/batkube, examples/workloads/KIT_10h_80.json",
    files=["KIT_10h_80.json"],
    needed="optional",
)

# What kept one of the sixteen single-core nodes from running jobs in all real runs: a system pod of k3s.
_SYSTEM_POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "coredns", "namespace": "kube-system"},
    "spec": {
        "nodeName": "node-0",
        "containers": [{"name": "coredns", "image": "coredns", "resources": {"requests": {"cpu": "100m"}}}],
    },
}


def cluster(kind: str, real: bool) -> dict[str, Any]:
    """Returns sixteen nodes of one core, or one of six; `real` adds the system pod to the sixteen."""
    if kind == REALISTIC:
        return {"nodes": [{"count": 1, "cpu": 6, "memory": "16Gi"}]}
    nodes = {"nodes": [{"count": 16, "cpu": 1, "memory": "4Gi"}]}
    return {**nodes, "objects": [_SYSTEM_POD]} if real else nodes


def jobs(kind: str, kit: Path | None, folder: Path, later: float = 0) -> dict[str, Any]:
    """Returns the workload of that kind, submitted some seconds later; files are written to `folder`."""
    usual = {"pods": JOBS, "duration": LENGTH, "requests": {"cpu": 1}}
    if kind == BURST:
        return {"generator": {"kind": "burst", "at": later, **usual}}
    if kind == SPACED:
        return {"generator": {"kind": "spaced", "every": EVERY, **usual}}
    document = json.loads((kit / KIT.files[0]).read_text(encoding="utf-8")) if kit else _drawn()
    for job in document["jobs"]:
        job["subtime"] += later
    file = folder / f"realistic-{later:g}.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    return {"file": str(file)}


def _drawn() -> dict[str, Any]:
    """Draws 39 jobs over eight hours by the thesis's rules for a log.

    Most are short and come in groups, a third is longer than the hour to which run times are cut; the largest number of
    processors becomes 5.9 CPUs, the others are scaled with it.
    """
    chance = Random(1)
    submitted, profiles, listed = 0.0, {}, []
    for number in range(39):
        is_long = chance.random() < 0.33
        seconds = 3600 if is_long else chance.randint(40, 700)
        cpu = chance.choice(
            [5.9, 5.859, 3.516, 1.172, 1.172, 0.586] if is_long else [3.516, 3.516, 3.516, 1.172, 0.188]
        )
        profiles[f"job{number}"] = {"type": "delay", "delay": seconds, "cpu": cpu}
        listed.append({"id": str(number), "subtime": round(submitted), "res": 1, "profile": f"job{number}"})
        submitted += chance.expovariate(1 / 150) if chance.random() < 0.75 else chance.uniform(1000, 4500)
    return {"nb_res": 1, "jobs": listed, "profiles": profiles}
