"""Why a pod went where it did: attempts explained on a cluster of one's own, or recorded during a run."""

from wavetank.explanation.choices import read_choices
from wavetank.explanation.explanation import Explanation, Refusal
from wavetank.explanation.recorded import read_recorded
from wavetank.explanation.recorder import AttemptRecorder
from wavetank.explanation.recording import FILE, Keep
from wavetank.explanation.rehearsal import Rehearsal

__all__ = ["FILE", "AttemptRecorder", "Explanation", "Keep", "Refusal", "Rehearsal", "read_choices", "read_recorded"]
