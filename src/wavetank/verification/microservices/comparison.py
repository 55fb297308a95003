"""Compares a run with its recording: exactly if it is deterministic, else by statistics."""

from __future__ import annotations

from wavetank.errors import InputError
from wavetank.verification.decisions.agreement import Agreement
from wavetank.verification.decisions.replay import Mismatch
from wavetank.verification.microservices.exact import compare_exactly, has_random_ties
from wavetank.verification.microservices.findings import Findings
from wavetank.verification.microservices.playing import play, read_inputs
from wavetank.verification.microservices.recording import ServiceRecording
from wavetank.verification.microservices.statistics import compare_one_run, compare_statistics


def compare_case(case: ServiceRecording) -> tuple[Agreement, list[Mismatch]]:
    """Plays a case and compares it; of the mismatches the first of each aspect is kept."""
    findings = Findings()
    _compare(case, findings)
    agreement = Agreement()
    for aspect, pairs in findings.aspects.items():
        for pair in pairs:
            agreement.aspects[aspect].add(pair.equal)
    equal = not findings.differing
    agreement.attempts.add(equal)
    agreement.files.add(equal)
    mismatches = [
        Mismatch(case.name, 0, pair.name, aspect, pair.expected, pair.got)
        for aspect, pair in findings.differing.items()
    ]
    return agreement, mismatches


def _compare(case: ServiceRecording, findings: Findings) -> None:
    if (case.folder / "config.yaml").is_file() or "placement" in case.result:
        from wavetank.verification.microservices.orchestration import compare_orchestration

        compare_orchestration(case, findings)
        return
    if case.result.get("status") == "error":
        findings.add("counts", "refused", True, _is_refused(case))
        return
    inputs = read_inputs(case)
    mode = case.result["mode"]
    if mode == "stoch":
        compare_statistics(case, inputs, findings)
    elif mode == "det" and not has_random_ties(inputs):
        compare_exactly(case, inputs, play(inputs, seed=1), findings)
    else:
        compare_one_run(case, inputs, findings)


def _is_refused(case: ServiceRecording) -> bool:
    try:
        read_inputs(case)
    except InputError:
        return True
    return False
