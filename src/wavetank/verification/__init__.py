"""Replays recordings of kube-scheduler, Volcano, the pod autoscaler and MiSim, and reports where wavetank differs."""

from wavetank.verification.clusterautoscaler import NODE_ASPECTS
from wavetank.verification.decisions.agreement import ASPECTS, Agreement, Count
from wavetank.verification.decisions.recording import Recording, find_recordings, read_recording
from wavetank.verification.decisions.replay import Mismatch, replay
from wavetank.verification.microservices import SERVICE_ASPECTS
from wavetank.verification.podautoscaler import FORCED_ASPECTS, FREE_ASPECTS
from wavetank.verification.timelines.timeline import Timeline, read_timeline
from wavetank.verification.timelines.timing import TIMED_ASPECTS, follow
from wavetank.verification.verification import Verification, sum_of, verify
from wavetank.verification.volcano import SESSION_ASPECTS

__all__ = [
    "ASPECTS",
    "FORCED_ASPECTS",
    "FREE_ASPECTS",
    "NODE_ASPECTS",
    "SERVICE_ASPECTS",
    "SESSION_ASPECTS",
    "TIMED_ASPECTS",
    "Agreement",
    "Count",
    "Mismatch",
    "Recording",
    "Timeline",
    "Verification",
    "find_recordings",
    "follow",
    "read_recording",
    "read_timeline",
    "replay",
    "sum_of",
    "verify",
]
