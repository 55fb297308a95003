from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from wavetank.errors import InputError
from wavetank.experiments.verify.agreement import Agreement
from wavetank.experiments.verify.recording import read_recording
from wavetank.experiments.verify.replay import Mismatch, replay


@dataclass(slots=True)
class Verification:
    """How far wavetank agrees with many recordings: the figures of each family, and the first mismatches."""

    families: dict[str, Agreement] = field(default_factory=dict)
    mismatches: list[Mismatch] = field(default_factory=list)

    @property
    def total(self) -> Agreement:
        """Returns the figures of all families together."""
        total = Agreement()
        for agreement in self.families.values():
            total.include(agreement)
        return total


def verify(files: Iterable[Path], most: int) -> Verification:
    """Replays recordings, each by its own release; at most so many mismatches are kept, all are counted."""
    verification = Verification()
    for file in files:
        recording = read_recording(file)
        try:
            agreement, mismatches = replay(recording, file.name)
        except InputError as error:
            raise error.inside(source=str(file)) from None
        verification.families.setdefault(recording.family, Agreement()).include(agreement)
        verification.mismatches += mismatches[: most - len(verification.mismatches)]
    return verification
