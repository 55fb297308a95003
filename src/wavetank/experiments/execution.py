"""Which model of nodes runs the pods of an experiment."""

from __future__ import annotations

from typing import Literal

from wavetank.errors import InputError

Execution = Literal["kubelet", "k8ssim"]

KUBELET: Execution = "kubelet"
K8SSIM: Execution = "k8ssim"


def read_execution(value: object, path: str) -> Execution:
    """Reads the name of a model: real kubelets, or K8sSim's nodes."""
    if value == KUBELET:
        return KUBELET
    if value == K8SSIM:
        return K8SSIM
    raise InputError(f"expected {KUBELET} or {K8SSIM}, got {value!r:.60}", path=path)
