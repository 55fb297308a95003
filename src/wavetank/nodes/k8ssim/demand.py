from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from wavetank.cluster.fields.resources import CPU
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Manifest
from wavetank.kernel.durations import SECOND
from wavetank.nodes.k8ssim.rates import WORK_OF_EPOCH, cpu_rate, gpu_rate
from wavetank.quantity import milli

GPU = "nvidia.com/gpu"

_EPOCHS = re.compile(r"--epochs=(\d{1,9})")


@dataclass(frozen=True, slots=True)
class Deadline:
    """A limit of the runtime of tasks in seconds, which acts on at most `limit` tasks of a job (None: all)."""

    after: float
    limit: int | None


@dataclass(frozen=True, slots=True)
class Demand:
    """The work of a task and its CPU: `requested` and `limit` in thousandths, None without a limit.

    `work` is in K8sSim's unit, or in seconds if it is `timed` and does not depend on CPU; None is endless.
    """

    work: float | None
    requested: float
    limit: float | None
    timed: bool = False
    has_gpu: bool = False
    restart: Deadline | None = None
    termination: Deadline | None = None

    def rate(self, milli_cpu: float, slowed: float, speed: float) -> float:
        """Returns the work per second with this CPU; a GPU is not `slowed` when the node's CPUs are busy."""
        if self.timed:
            return 1.0
        return gpu_rate(milli_cpu) * speed if self.has_gpu else cpu_rate(milli_cpu) * slowed


def epochs_of(manifest: Manifest) -> int | None:
    """Returns the epochs in the arguments of a pod's first container; None if there are none."""
    container = manifest["spec"]["containers"][0]
    words = " ".join(str(word) for field in ("command", "args") for word in container.get(field) or ())
    match = _EPOCHS.search(words)
    return int(match[1]) if match else None


def deadline_of(labels: Mapping[str, str], what: str) -> Deadline | None:
    """Reads the labels restartTime and restartLimit, or terminationTime and terminationLimit."""
    time, limit = labels.get(f"{what}Time", ""), labels.get(f"{what}Limit", "-1")
    if not re.fullmatch(r"\d{1,9}", time):
        return None
    most = int(limit) if re.fullmatch(r"[+-]?\d{1,9}", limit) else 0
    return Deadline(float(time), None if most < 0 else most)


def demand_of(pod: Pod) -> Demand:
    """Reads the work of a pod: the epochs of its first container, or else its duration."""
    resources = pod.spec.manifest["containers"][0].get("resources") or {}
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    limit = _milli_cpu(limits[CPU]) if CPU in limits else None
    requested = _milli_cpu(requests[CPU]) if CPU in requests else limit or 0.0
    epochs = epochs_of({"spec": pod.spec.manifest})
    if epochs is None:
        duration = pod.behavior.duration if pod.behavior else None
        return Demand(None if duration is None else duration / SECOND, requested, limit, timed=True)
    restart, termination = (deadline_of(pod.labels, what) for what in ("restart", "termination"))
    has_gpu = bool(milli(limits.get(GPU, 0)))
    return Demand(epochs * WORK_OF_EPOCH, requested, limit, False, has_gpu, restart, termination)


def _milli_cpu(quantity: Any) -> float:
    """Returns thousandths of CPUs, rounded as K8sSim does: a step of the rate can depend on it."""
    text = str(quantity)
    if not re.fullmatch(r"[0-9.]+m?", text):
        return float(milli(quantity))
    number = Decimal(text.removesuffix("m"))
    exponent = int(number.as_tuple().exponent) - (3 if text.endswith("m") else 0)
    return float(int(number.scaleb(-int(number.as_tuple().exponent)))) * 10.0**exponent * 1000
