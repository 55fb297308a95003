"""What the tests of this folder share: input files made of text, and the shared folder of real ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from wavetank.cluster.objects.podspec import SpecTable
from wavetank.kernel.randomness import Streams
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.workload import Arrival, Workload


def a_file(content: object, name: str = "in.yaml") -> InputFile:
    return InputFile(Path(name), content if isinstance(content, str) else json.dumps(content))


def arrivals_of(workload: Workload, seed: int = 1) -> list[Arrival]:
    return list(workload.arrivals(SpecTable(), Streams(seed)))


def names_of(workload: Workload) -> list[str]:
    return [arrival.pod.name for arrival in arrivals_of(workload)]


def a_manifest(kind: str = "Pod", name: str = "a", **fields: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, **fields}
