"""Recorded scenarios of the real cluster-autoscaler, compared with wavetank's own."""

from wavetank.verification.clusterautoscaler.aspects import NODE_ASPECTS
from wavetank.verification.clusterautoscaler.recording import (
    ClusterAutoscalerRecording,
    is_cluster_autoscaler_recording,
    parse_cluster_autoscaler_recording,
)

__all__ = [
    "NODE_ASPECTS",
    "ClusterAutoscalerRecording",
    "is_cluster_autoscaler_recording",
    "parse_cluster_autoscaler_recording",
]
