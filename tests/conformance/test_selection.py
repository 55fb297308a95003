from conformance.lanes import Outcome
from conformance.page import write_page
from conformance.selection import ineligible

PASSED, FAILED, EXECUTING = (f"[sig-node] {what} [Conformance]" for what in ("Pods run", "Pods *stop*", "Pods execute"))


def test_every_ineligible_test_is_a_conformance_test_with_one_of_four_reasons():
    reasons = ineligible()
    assert all(name.startswith("[sig-") and "[Conformance]" in name for name in reasons)
    assert len(set(reasons.values())) == 4


def test_the_page_counts_tests_by_group_and_names_those_that_failed_or_are_not_eligible():
    outcomes = [Outcome(PASSED, "passed", 1.0), Outcome(FAILED, "failed", 2.0, "pods.go:1: no")]
    page = write_page([PASSED, FAILED, EXECUTING], {EXECUTING: "executes a command"}, outcomes)
    assert "| node | 1 | 2 | 3 |" in page
    assert "- \\[sig-node] Pods \\*stop\\* (failed)" in page
    assert "### A test that executes a command\n\n- \\[sig-node] Pods execute\n" in page
