"""Replays recordings of the real kube-scheduler and of Volcano, and says where wavetank decides otherwise."""

from wavetank.experiments.verify.agreement import ASPECTS, Agreement, Count
from wavetank.experiments.verify.recording import Recording, find_recordings, read_recording
from wavetank.experiments.verify.replay import Mismatch, replay
from wavetank.experiments.verify.timeline import Timeline, read_timeline
from wavetank.experiments.verify.timing import TIMED_ASPECTS, follow
from wavetank.experiments.verify.verification import Verification, sum_of, verify
from wavetank.experiments.verify.volcano import SESSION_ASPECTS

__all__ = [
    "ASPECTS",
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
