"""GPUs as Alibaba's traces and schedulers describe them: used whole, or shared in thousandths."""

from __future__ import annotations

from typing import NamedTuple

from wavetank.cluster.objects.pod import Pod
from wavetank.errors import InputError
from wavetank.textcache import cached_text, cached_texts

GPU = "nvidia.com/gpu"  # resource: whole GPUs
GPU_MODEL = "alibabacloud.com/gpu-card-model"  # label of nodes; annotation of pods, `A10|T4`
GPU_COUNT = "alibabacloud.com/gpu-count"  # annotation: GPUs that a pod uses, wholly or in part
GPU_MILLI = "alibabacloud.com/gpu-milli"  # annotation: thousandths that it uses of each of them
GPU_INDEX = "alibabacloud.com/gpu-index"  # annotation: the devices of its node that it was given, `0-3`

WHOLE = 1000  # thousandths of one GPU
MOST_GPUS = 1024  # of a node or a pod


class GpuDemand(NamedTuple):
    """What a pod wants: `milli` thousandths of each of `gpus` devices, which are of one of the `models`, if any."""

    gpus: int
    milli: int
    models: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """Returns it in thousandths of a GPU."""
        return self.gpus * self.milli

    @property
    def is_share(self) -> bool:
        """Returns whether it is a part of one GPU."""
        return 0 < self.milli < WHOLE


def gpu_demand(pod: Pod) -> GpuDemand:
    """Returns what a pod's annotations say, or else its request for whole GPUs; InputError names an annotation."""
    annotations = pod.annotations
    models = str(annotations.get(GPU_MODEL, ""))
    if GPU_COUNT in annotations or GPU_MILLI in annotations:
        return _demand(str(annotations.get(GPU_COUNT, 1)), str(annotations.get(GPU_MILLI, WHOLE)), models)
    requested = pod.requests.get(GPU, 0)
    return _demand(str(requested), str(WHOLE if requested else 0), models)


def split_models(text: str) -> tuple[str, ...]:
    """Reads the annotation of the models, `A10|T4`, as it is written."""
    return tuple(model for model in text.split("|") if model)


@cached_text(4096)
def device_indices(text: str) -> tuple[int, ...]:
    """Reads the annotation of the devices, `0-3`; what is no list of numbers means none."""
    parts = text.split("-")
    return tuple(map(int, parts)) if all(part.isdecimal() and part.isascii() for part in parts) else ()


@cached_texts(4096)
def _demand(count: str, milli: str, models: str) -> GpuDemand:
    gpus = _number(count, MOST_GPUS, GPU_COUNT)
    part = _number(milli, WHOLE, GPU_MILLI)
    if (gpus == 0) != (part == 0) or (gpus > 1 and part < WHOLE):
        problem = f"expected 1 to {WHOLE} of one GPU or {WHOLE} of several, got {part} of {gpus}"
        raise InputError(problem, path=GPU_MILLI)
    return GpuDemand(gpus, part, split_models(models) if gpus else ())


def _number(text: str, most: int, annotation: str) -> int:
    number = int(text) if text.isdecimal() and text.isascii() and len(text) < 10 else -1
    if not 0 <= number <= most:
        raise InputError(f"expected a whole number, 0 to {most}, got {text!r:.60}", path=annotation)
    return number
