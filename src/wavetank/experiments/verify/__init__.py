"""Replays recorded cycles of the real kube-scheduler and says where wavetank decides otherwise."""

from wavetank.experiments.verify.agreement import ASPECTS, Agreement, Count
from wavetank.experiments.verify.recording import Recording, find_recordings, read_recording
from wavetank.experiments.verify.replay import Mismatch, replay
from wavetank.experiments.verify.verification import Verification, verify

__all__ = [
    "ASPECTS",
    "Agreement",
    "Count",
    "Mismatch",
    "Recording",
    "Verification",
    "find_recordings",
    "read_recording",
    "replay",
    "verify",
]
