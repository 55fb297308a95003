"""What cannot be done is a problem in the status; of two claims one wins."""

from __future__ import annotations

import pytest

from tests.batchoperator.cluster import LABEL, OperatedCluster
from wavetank.batchoperator.resources.groups import ESI, GCR


def test_of_two_schedulings_that_claim_a_testbed_one_waits_for_the_other() -> None:
    cluster = OperatedCluster()
    cluster.testbed()
    cluster.spark("a")
    cluster.spark("b")
    cluster.queue("first", "a")
    cluster.queue("second", "b")
    cluster.run(10)
    assert cluster.state("first") == "AwaitingCompletion"
    assert cluster.state("second") == "Acquire"
    assert cluster.problems(ESI.scheduling, "second") == ["testbed default/bed is claimed by scheduling default/first"]
    cluster.run()
    assert (cluster.state("first"), cluster.state("second")) == ("Finished", "Finished")
    assert cluster.problems(ESI.scheduling, "second") == []


def test_of_two_schedulings_that_claim_a_job_the_other_gives_everything_back() -> None:
    cluster = OperatedCluster(nodes=4)
    cluster.testbed()
    cluster.testbed("other", label="other")
    cluster.store.patch("Node", "", "drivers", {"metadata": {"labels": {"other": "0"}}})
    for name in ("a", "b", "c"):
        cluster.spark(name)
    cluster.queue("first", "a", "b")
    cluster.queue("second", "c", "b", testbed="other")
    cluster.run(10)
    assert cluster.problems(ESI.scheduling, "second") == ["job default/b is claimed by scheduling default/first"]
    assert cluster.job_state("c") == "Ready"
    cluster.run()
    assert cluster.state("second") == "Finished"
    assert len(cluster.find(ESI.batchjob, "b").status["scheduledEvents"]) == 2


@pytest.mark.parametrize(
    ("jobs", "problem"),
    [
        pytest.param(["a", "ghost"], "there is no job default/ghost", id="an unknown job"),
        pytest.param(["a"] * 5, "job default/a needs 5 slots, the testbed has 4", id="too many slots"),
    ],
)
def test_a_queue_that_cannot_run_claims_nothing(jobs: list[str], problem: str) -> None:
    cluster = OperatedCluster()
    cluster.testbed()
    cluster.spark("a")
    cluster.queue("q", *jobs)
    cluster.run(10)
    assert cluster.state("q") == "Acquire"
    assert cluster.problems(ESI.scheduling, "q") == [problem]
    assert cluster.job_state("a") == "Ready"
    assert cluster.find(ESI.testbed, "bed").labels == {}


def test_a_slot_that_does_not_exist_is_a_problem() -> None:
    cluster = OperatedCluster()
    cluster.testbed()
    cluster.spark("a")
    cluster.slots("s", "strict", ("a", [3, 4]))
    cluster.run(10)
    assert cluster.problems(ESI.scheduling, "s") == ["job default/a wants slot 4, the testbed has 4 slots: 0 to 3"]


def test_a_job_that_comes_late_is_claimed_then() -> None:
    cluster = OperatedCluster()
    cluster.testbed()
    cluster.queue("q", "late")
    cluster.run(10)
    cluster.spark("late")
    cluster.run()
    assert cluster.state("q") == "Finished"


def test_an_unknown_job_in_an_extension_does_not_stop_those_before_it() -> None:
    cluster = OperatedCluster()
    cluster.testbed()
    cluster.spark("a")
    cluster.spark("b")
    cluster.queue("q", "a", "a", "a")
    cluster.run(10)
    cluster.extend("q", "b", "b", "ghost")
    cluster.run(100)
    assert cluster.job_state("b") == "Running"
    assert cluster.problems(ESI.scheduling, "q") == ["there is no job default/ghost"]


@pytest.mark.parametrize(
    ("slots", "cpu", "label", "problem"),
    [
        pytest.param(3, "1", LABEL, "node n0: 3 slots need 3 of cpu, 2 are left", id="too many"),
        pytest.param(1, "4", LABEL, "node n0: 1 slots need 4 of cpu, 2 are left", id="too large"),
        pytest.param(1, "1", "none", "no node has the label none", id="no nodes"),
    ],
)
def test_a_testbed_that_does_not_fit_creates_no_pods(slots: int, cpu: str, label: str, problem: str) -> None:
    cluster = OperatedCluster(nodes=1)
    cluster.testbed(slots=slots, cpu=cpu, label=label)
    cluster.run(1)
    assert cluster.problems(ESI.testbed, "bed") == [problem]
    assert cluster.find(ESI.testbed, "bed").status["state"] == "ERROR"
    assert cluster.plain.list("Pod") == []


def test_a_label_that_is_no_number_is_a_problem_of_the_node() -> None:
    cluster = OperatedCluster(nodes=1)
    cluster.store.patch("Node", "", "n0", {"metadata": {"labels": {LABEL: "first"}}})
    cluster.testbed()
    cluster.run(1)
    assert cluster.find(ESI.testbed, "bed").status["nodeProblems"] == {
        "n0": [f"label {LABEL}=first: expected a number"]
    }


def test_a_submission_that_cannot_be_built_fails_and_the_queue_goes_on() -> None:
    cluster = OperatedCluster()
    cluster.testbed()
    cluster.create("BatchJob", "bad", {"sparkSpec": {"executor": "many"}})
    cluster.spark("good")
    cluster.queue("q", "bad", "good")
    cluster.run(10)
    assert cluster.job_state("bad") == "FailedSubmission"
    assert cluster.job_state("good") == "Running"
    assert "job default/bad: the application cannot be created" in cluster.problems(ESI.scheduling, "q")[0]
    cluster.run()
    assert cluster.state("q") == "Finished"


def test_an_application_that_a_user_has_made_is_left_alone() -> None:
    cluster = OperatedCluster()
    cluster.testbed()
    cluster.plain.create(
        {
            "apiVersion": "sparkoperator.k8s.io/v1beta2",
            "kind": "SparkApplication",
            "metadata": {"name": "a", "namespace": "default"},
            "spec": {},
        }
    )
    cluster.spark("a")
    cluster.run(10)
    assert cluster.find("SparkApplication.sparkoperator.k8s.io", "a").spec == {}
    cluster.queue("q", "a")
    cluster.run(1000)
    assert "already exists" in cluster.problems(ESI.scheduling, "q")[0]
    assert cluster.find("SparkApplication.sparkoperator.k8s.io", "a").spec == {}


def test_a_testbed_of_the_same_name_in_the_older_group_is_a_problem() -> None:
    cluster = OperatedCluster()
    found = cluster.testbed()
    cluster.plain.create(
        {
            **found.manifest,
            "apiVersion": GCR.api_version,
            "kind": "Slot",
            "metadata": {"name": "bed", "namespace": "default"},
        }
    )
    cluster.run(1)
    assert cluster.slot_states() == ["FREE"] * 4
    assert cluster.problems(GCR.testbed, "bed") == ["there is a Testbed of this name in esi.tu-berlin.de"]
