"""Why a pod went where it did: attempts explained on a cluster of one's own, or recorded during a run."""

from wavetank.experiments.explain.choices import read_choices
from wavetank.experiments.explain.explanation import Explanation, Refusal
from wavetank.experiments.explain.recorded import read_recorded
from wavetank.experiments.explain.recorder import AttemptRecorder
from wavetank.experiments.explain.recording import FILE, Keep
from wavetank.experiments.explain.rehearsal import Rehearsal

__all__ = ["FILE", "AttemptRecorder", "Explanation", "Keep", "Refusal", "Rehearsal", "read_choices", "read_recorded"]
