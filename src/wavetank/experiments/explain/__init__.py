"""Why a pod went where it did: explained attempts, on a cluster of one's own or recorded during a run."""

from wavetank.experiments.explain.choices import read_choices
from wavetank.experiments.explain.explanation import Explanation, Refusal
from wavetank.experiments.explain.rehearsal import Rehearsal

__all__ = ["Explanation", "Refusal", "Rehearsal", "read_choices"]
