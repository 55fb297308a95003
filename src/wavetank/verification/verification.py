from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from wavetank.cluster.manifests import read_text
from wavetank.errors import InputError
from wavetank.verification.clusterautoscaler import (
    ClusterAutoscalerRecording,
    is_cluster_autoscaler_recording,
    parse_cluster_autoscaler_recording,
)
from wavetank.verification.decisions.agreement import Agreement
from wavetank.verification.decisions.recording import Recording, parse_recording
from wavetank.verification.decisions.replay import Mismatch, replay
from wavetank.verification.microservices import ServiceRecording, is_case, read_case
from wavetank.verification.podautoscaler import (
    AutoscalerRecording,
    is_autoscaler_recording,
    parse_autoscaler_recording,
)
from wavetank.verification.timelines.timeline import Timeline, is_timeline, parse_timeline
from wavetank.verification.timelines.timing import follow
from wavetank.verification.volcano import Scenario, is_scenario, parse_scenario, replay_sessions

_Recording = Recording | Timeline | Scenario | AutoscalerRecording | ClusterAutoscalerRecording | ServiceRecording


@dataclass(slots=True)
class Verification:
    """How far wavetank agrees with many recordings: the counts of each family, and the first mismatches.

    `families` are those of recorded cycles, `timelines` of timelines, `sessions` of Volcano's sessions, `autoscalers`
    of pod autoscalers, `node_autoscalers` of the cluster autoscaler, `services` of microservices; `verdicts` tell for
    each file whether it agrees in everything.
    """

    families: dict[str, Agreement] = field(default_factory=dict)
    timelines: dict[str, Agreement] = field(default_factory=dict)
    sessions: dict[str, Agreement] = field(default_factory=dict)
    autoscalers: dict[str, Agreement] = field(default_factory=dict)
    services: dict[str, Agreement] = field(default_factory=dict)
    node_autoscalers: dict[str, Agreement] = field(default_factory=dict)
    mismatches: list[Mismatch] = field(default_factory=list)
    verdicts: dict[str, bool] = field(default_factory=dict)

    @property
    def total(self) -> Agreement:
        """Returns the counts of all families together."""
        kinds = (self.families, self.timelines, self.sessions, self.autoscalers, self.node_autoscalers, self.services)
        return sum_of(agreement for families in kinds for agreement in families.values())


def sum_of(agreements: Iterable[Agreement]) -> Agreement:
    """Returns the counts of several families together."""
    total = Agreement()
    for agreement in agreements:
        total.include(agreement)
    return total


def verify(files: Iterable[Path], most: int) -> Verification:
    """Replays recordings of any kind, each with its release; keeps the first `most` mismatches and counts all."""
    verification = Verification()
    for file in files:
        recording = _read(file)
        families = _families(verification, recording)
        try:
            agreement, mismatches = _compare(recording, file.name)
        except InputError as error:
            raise error.inside(source=str(file)) from None
        families.setdefault(recording.family, Agreement()).include(agreement)
        verification.verdicts[file.name] = agreement.files.equal == agreement.files.compared
        verification.mismatches += mismatches[: most - len(verification.mismatches)]
    return verification


def _families(verification: Verification, recording: _Recording) -> dict[str, Agreement]:
    if isinstance(recording, Timeline):
        return verification.timelines
    if isinstance(recording, AutoscalerRecording):
        return verification.autoscalers
    if isinstance(recording, ServiceRecording):
        return verification.services
    if isinstance(recording, ClusterAutoscalerRecording):
        return verification.node_autoscalers
    return verification.sessions if isinstance(recording, Scenario) else verification.families


def _read(file: Path) -> _Recording:
    if is_case(file):
        return read_case(file)
    text = read_text(file)
    if is_scenario(text):
        return parse_scenario(text, file)
    if is_autoscaler_recording(text):
        return parse_autoscaler_recording(text, file)
    if is_cluster_autoscaler_recording(text):
        return parse_cluster_autoscaler_recording(text, file)
    return parse_timeline(text, file) if is_timeline(text) else parse_recording(text, file)


def _compare(recording: _Recording, file: str) -> tuple[Agreement, list[Mismatch]]:
    if isinstance(recording, Scenario):
        return replay_sessions(recording, file)
    if isinstance(recording, AutoscalerRecording):
        from wavetank.verification.podautoscaler.comparison import compare  # with it comes the API server

        return compare(recording, file)
    if isinstance(recording, ServiceRecording):
        from wavetank.verification.microservices.comparison import (
            compare_case,  # with it comes the simulation of services
        )

        return compare_case(recording)
    if isinstance(recording, ClusterAutoscalerRecording):
        from wavetank.verification.clusterautoscaler.comparison import compare as compare_nodes  # with it, simulation

        return compare_nodes(recording, file)
    return follow(recording, file) if isinstance(recording, Timeline) else replay(recording, file)
