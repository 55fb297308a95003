from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.controllers.clusters import ControllerCluster
from tests.controllers.jobs.joblives import JOB, a_cluster, alive, conditions, end, kinds
from wavetank.cluster.objects.pod import Pod
from wavetank.controllers.jobs.intervals import (
    count,
    first_missing,
    has,
    parse_intervals,
    render_intervals,
    with_indexes,
)
from wavetank.controllers.jobs.pods import FAILURES, index_of


def of_index(cluster: ControllerCluster, index: int) -> Pod:
    return next(pod for pod in alive(cluster) if index_of(pod) == index)


def test_pods_know_their_index() -> None:
    cluster = a_cluster(completionMode="Indexed", completions=2, parallelism=2)
    pod = of_index(cluster, 1).render()
    assert pod["metadata"]["generateName"] == "j-1-"
    assert pod["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"] == "1"
    assert pod["spec"]["hostname"] == "j-1"
    (variable,) = pod["spec"]["containers"][0]["env"]
    assert variable["name"] == "JOB_COMPLETION_INDEX"
    path = "metadata.labels['batch.kubernetes.io/job-completion-index']"
    assert variable["valueFrom"]["fieldRef"] == {"apiVersion": "v1", "fieldPath": path}


def test_each_index_succeeds_once() -> None:
    cluster = a_cluster(completionMode="Indexed", completions=4, parallelism=4)
    for index in (3, 0, 1):
        end(cluster, of_index(cluster, index))
    assert cluster.status(JOB, "j")["completedIndexes"] == "0,1,3"
    assert cluster.status(JOB, "j")["succeeded"] == 3
    end(cluster, of_index(cluster, 2), code=1)
    cluster.run(12)
    end(cluster, of_index(cluster, 2))
    assert cluster.status(JOB, "j")["completedIndexes"] == "0-3"
    assert kinds(cluster)[-1] == "Complete"


def test_an_index_fails_by_itself() -> None:
    cluster = a_cluster(completionMode="Indexed", completions=2, parallelism=2, backoffLimitPerIndex=1)
    end(cluster, of_index(cluster, 0), code=1)
    assert [index_of(pod) for pod in alive(cluster)] == [1]
    cluster.run(10)
    again = of_index(cluster, 0)
    assert again.annotations[FAILURES] == "1"
    end(cluster, again, code=1)
    assert cluster.status(JOB, "j")["failedIndexes"] == "0"
    end(cluster, of_index(cluster, 1))
    why = ("FailedIndexes", "Job has failed indexes")
    assert conditions(cluster) == [("FailureTarget", *why), ("Failed", *why)]


def test_enough_indexes_are_a_success() -> None:
    rules = [{"succeededIndexes": "1-2", "succeededCount": 1}]
    cluster = a_cluster(completionMode="Indexed", completions=3, parallelism=3, successPolicy={"rules": rules})
    end(cluster, of_index(cluster, 2))
    assert conditions(cluster)[0] == ("SuccessCriteriaMet", "SuccessPolicy", "Matched rules at index 0")
    cluster.remove_deleted()
    cluster.run(2)
    assert kinds(cluster) == ["SuccessCriteriaMet", "Complete"]
    assert cluster.status(JOB, "j")["succeeded"] == 1


@pytest.mark.parametrize(
    ("indexes", "text"),
    [([], ""), ([3], "3"), ([3, 4], "3,4"), ([3, 4, 5], "3-5"), ([0, 2, 3, 4, 9], "0,2-4,9")],
)
def test_indexes_are_written_as_intervals(indexes: list[int], text: str) -> None:
    assert render_intervals(with_indexes([], indexes)) == text
    assert parse_intervals(text, 10) == with_indexes([], indexes)


@given(st.sets(st.integers(0, 30)), st.sets(st.integers(0, 30)), st.integers(0, 31), st.integers(0, 40))
def test_intervals_are_sets(one: set[int], other: set[int], number: int, completions: int) -> None:
    both = with_indexes(with_indexes([], one), other)
    assert count(both) == len(one | other)
    assert {index for index in range(31) if has(both, index)} == one | other
    missing = [index for index in range(completions) if index not in one | other]
    assert first_missing(both, number, completions) == missing[:number]
    assert parse_intervals(render_intervals(both), 31) == both


@settings(max_examples=10, deadline=None)
@given(
    completions=st.integers(1, 5),
    parallelism=st.integers(1, 4),
    limit=st.integers(0, 3),
    indexed=st.booleans(),
    ends=st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=20),
)
def test_a_job_never_runs_too_many_pods_and_counts_each_once(
    completions: int, parallelism: int, limit: int, indexed: bool, ends: list[tuple[int, bool]]
) -> None:
    mode = "Indexed" if indexed else "NonIndexed"
    cluster = a_cluster(completions=completions, parallelism=parallelism, backoffLimit=limit, completionMode=mode)
    succeeded = failed = 0
    for which, good in ends:
        running = alive(cluster)
        if not running:
            cluster.run(700)
            running = alive(cluster)
        if not running:
            break
        assert len(running) <= min(parallelism, completions - succeeded)
        end(cluster, running[which % len(running)], code=0 if good else 1)
        succeeded, failed = succeeded + good, failed + (not good)
        status = cluster.status(JOB, "j")
        assert status.get("succeeded", 0) == succeeded
        if "FailureTarget" not in kinds(cluster):
            assert status.get("failed", 0) == failed
    cluster.run(2)
    assert ("Complete" in kinds(cluster)) == (succeeded == completions)
    assert ("FailureTarget" in kinds(cluster)) == (failed > limit and succeeded < completions)
