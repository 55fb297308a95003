from __future__ import annotations

import pytest

from tests.explanation.clusters import wavetank, write
from tests.support.objects import node_manifest, pod_manifest


@pytest.fixture
def files(tmp_path):
    write(tmp_path / "cluster.json", node_manifest("n0"))
    write(tmp_path / "pods.json", pod_manifest("p"))
    write(tmp_path / "pending.json", node_manifest("n0"), pod_manifest("web", cpu="9"))
    write(
        tmp_path / "twice.json",
        node_manifest("n0"),
        *(pod_manifest("web", metadata={"namespace": each}) for each in "ab"),
    )
    (tmp_path / "config.yaml").write_text("apiVersion: kubescheduler.config.k8s.io/v1\nkind: Other\n")
    return tmp_path


STATE = ("--cluster", "{}/cluster.json", "--pods", "{}/pods.json")


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        pytest.param((), "give SNAPSHOT and POD, OUT and POD, --kubeconfig and POD, or --cluster", id="nothing"),
        pytest.param(("{}/out",), "give a POD: name, or namespace/name", id="results without a pod"),
        pytest.param(("{}/cluster.json",), "give a POD: name, or namespace/name", id="a snapshot without a pod"),
        pytest.param(("{}/cluster.json", "q"), "there is no pod 'q'; no pod is pending", id="no such pod"),
        pytest.param(("{}/pending.json", "wep"), "(did you mean web?); pending are default/web", id="a misspelt pod"),
        pytest.param(("{}/twice.json", "web"), "more than one pod 'web': say which, of a/web, b/web", id="two pods"),
        pytest.param(("{}/cluster.json", "p", "--seed", "1"), "give SNAPSHOT and POD", id="a seed of no run"),
        pytest.param(("{}/cluster.json", "p", "--choices", "x"), "give SNAPSHOT and POD", id="choices for one pod"),
        pytest.param(("{}/none.json", "p"), "{}/none.json: no such file", id="no snapshot"),
        pytest.param(("--kubeconfig", "{}/none", "p"), "{}/none: no such file", id="no kubeconfig"),
        pytest.param(("--kubeconfig", "{}/none", "a", "b"), "give SNAPSHOT and POD", id="two pods of a live cluster"),
        pytest.param(("{}/pending.json", "web", "--scheduler", "nope"), "--scheduler: there is no", id="no scheduler"),
        pytest.param(("{}/pending.json", "web", "--scheduler", "fcfs"), "--scheduler: only", id="not explained"),
        pytest.param(("{}/pending.json", "web", "--html", "{}/no/a.html"), "a.html: cannot be written", id="no folder"),
        pytest.param((*STATE, "--seed", "1"), "give SNAPSHOT and POD", id="a seed of no run"),
        pytest.param(("{}/out", "p", "--cluster", "{}/cluster.json"), "give SNAPSHOT and POD", id="both"),
        pytest.param(("{}/out", "p", "--pods", "{}/pods.json"), "give SNAPSHOT and POD", id="a run and pods"),
        pytest.param(("--cluster", "{}/none.json"), "{}/none.json: no such file", id="no cluster"),
        pytest.param((*STATE[:2], "--pods", "{}/none.json"), "{}/none.json: no such file", id="no pods"),
        pytest.param((*STATE, "--choices", "{}/none.json"), "{}/none.json: no such file", id="no choices"),
        pytest.param((*STATE, "--config", "{}/none.yaml"), "{}/none.yaml: no such file", id="no configuration"),
        pytest.param((*STATE, "--config", "{}/config.yaml"), "{}/config.yaml: kind", id="another kind"),
        pytest.param((*STATE, "--kubernetes-version", "9.9"), "--kubernetes-version: expected a release", id="release"),
        pytest.param(("--cluster", "{}/pods.json"), "pods.json: a cluster needs at least one Node", id="no node"),
        pytest.param(("{}/none", "p"), "{}/none: no results here", id="no results"),
    ],
)
def test_one_line_says_what_is_wrong(files, args, expected):
    done = wavetank("explain", *(arg.format(files) for arg in args))
    assert (done.status, done.stdout) == (2, "")
    assert expected.format(files) in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_pod_of_the_same_name_as_one_in_the_cluster(files):
    cluster = write(files / "cluster.json", node_manifest("n0"), pod_manifest("p", "n0"))
    done = wavetank("explain", "--cluster", cluster, "--pods", files / "pods.json")
    assert (done.status, done.stderr.count("\n")) == (2, 1)
    assert "pod default/p: " in done.stderr
    assert '"p" already exists' in done.stderr


def test_a_priority_class_that_is_not_there(files):
    pods = write(files / "pods.json", pod_manifest("p", priorityClassName="none"))
    done = wavetank("explain", "--cluster", files / "cluster.json", "--pods", pods)
    assert (done.status, done.stderr) == (2, 'pod default/p: no PriorityClass with name "none" was found\n')


def test_a_start_time_that_is_none(files):
    cluster = write(
        files / "cluster.json", node_manifest("n0"), pod_manifest("q", "n0", status={"startTime": "yesterday"})
    )
    done = wavetank("explain", "--cluster", cluster, "--pods", files / "pods.json")
    problem = "expected a time such as 2024-01-01T00:00:00Z, got 'yesterday'"
    assert (done.status, done.stderr) == (2, f"Pod q: status.startTime: {problem}\n")
