"""Recorded syncs of the real HorizontalPodAutoscaler controller, compared with wavetank's own."""

from wavetank.verification.podautoscaler.aspects import AUTOSCALER_ASPECTS, FORCED_ASPECTS, FREE_ASPECTS
from wavetank.verification.podautoscaler.recording import (
    AutoscalerRecording,
    is_autoscaler_recording,
    parse_autoscaler_recording,
)

__all__ = [
    "AUTOSCALER_ASPECTS",
    "FORCED_ASPECTS",
    "FREE_ASPECTS",
    "AutoscalerRecording",
    "is_autoscaler_recording",
    "parse_autoscaler_recording",
]
