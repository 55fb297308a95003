"""`wavetank explain` for a snapshot, a live API server and a run: tables, JSON and the page."""

from __future__ import annotations

import json

import pytest

from tests.apiserver.serving import nodes_file, serving
from tests.explanation.clusters import explain, wavetank, write
from tests.support.browser import Pages
from tests.support.objects import a_taint, node_manifest, pod_manifest

EXPERIMENT = """
apiVersion: wavetank.dev/v1alpha1
kind: Experiment
metadata: {name: full}
spec:
  cluster: {nodes: [{name: n, count: 2, cpu: 2, memory: 4Gi}]}
  workload: {file: pods.json}
"""


@pytest.fixture
def snapshot(tmp_path):
    return write(
        tmp_path / "snapshot.json",
        node_manifest("n0"),
        node_manifest("n1", taints=[a_taint("gpu")]),
        pod_manifest("there", "n0"),
        pod_manifest("web", cpu="3500m"),
    )


def test_the_tables_of_a_pending_pod(snapshot):
    printed = explain(snapshot, "web")
    rows = [" ".join(line.split()) for line in printed.splitlines()]
    assert "default/web: unschedulable" in rows
    assert "n0 cpu by 500m (3 of 4 free) NodeResourcesFit: Insufficient cpu" in rows
    assert "the pod lower the request of cpu by 500m to 3 n0" in rows
    assert "add a toleration for gpu:NoSchedule n1" in rows
    assert "a node remove the taint gpu:NoSchedule from node n1 n1" in rows
    assert "evict default/there (priority 0) n0" in rows


def test_the_json_of_a_pending_pod(snapshot):
    told = json.loads(explain(snapshot, "web", "--json"))
    assert list(told) == ["pods", "advice", "notes"]
    assert list(told["advice"]) == ["nearest", "offers", "tried", "nodes"]
    short = {"resource": "cpu", "requested": "3500m", "free": "3", "allocatable": "4", "missing": "500m"}
    assert told["advice"]["nearest"] == {
        "node": "n0",
        "refusals": [{"plugin": "NodeResourcesFit", "reasons": ["Insufficient cpu"]}],
        "short": [short],
    }
    lower = "lower the request of cpu by 500m to 3"
    assert told["advice"]["offers"][0] == {
        "kind": "request",
        "text": lower,
        "node": "n0",
        "edits": [{"kind": "request", "text": lower, "before": {"cpu": "3500m"}, "after": {"cpu": "3"}}],
    }


def test_the_documentation_names_every_field_of_the_advice(snapshot, pytestconfig):
    text = (pytestconfig.rootpath / "docs" / "explain.md").read_text()
    advice = json.loads(explain(snapshot, "web", "--json"))["advice"]
    fields = {*advice, *advice["nearest"], *advice["nearest"]["short"][0], *advice["offers"][0]}
    assert [field for field in sorted(fields) if f"`{field}`" not in text] == []


def test_a_pod_on_its_node_has_no_advice(snapshot):
    told = json.loads(explain(snapshot, "there", "--json"))
    assert (told["pods"][0]["chosen"], told["advice"]) == ("n0", None)


def test_a_pod_that_is_not_in_the_cluster_yet(snapshot, tmp_path):
    new = write(tmp_path / "new.json", pod_manifest("new", cpu="3500m"))
    assert "default/new: unschedulable" in explain(snapshot, "--pods", new)


def test_another_scheduler_may_have_no_trouble(snapshot, tmp_path):
    head = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    plugins = {"filter": {"disabled": [{"name": "TaintToleration"}]}}
    profile = tmp_path / "profile.yaml"
    profile.write_text(json.dumps({**head, "profiles": [{"plugins": plugins}]}))
    assert "default/web: bound to n1" in explain(snapshot, "web", "--scheduler", profile)
    assert "default/web: bound to n1" in explain(snapshot, "web", "--config", profile)


def test_the_page(snapshot, tmp_path, browser):
    assert "page: " in explain(snapshot, "web", "--html", tmp_path / "why.html")
    pages = Pages(browser)
    page = pages.open((tmp_path / "why.html").as_uri())
    assert page.locator("h1").inner_text() == "Why default/web is pending"
    assert page.locator("#help tbody tr").count() == 5
    assert page.locator("#short li").count() == 1
    assert "short of cpu by 500m (3 of 4 free)" in page.locator("#short").inner_text()
    assert pages.errors == []
    pages.close()


def test_the_page_of_a_pod_on_its_node(snapshot, tmp_path):
    explain(snapshot, "there", "--html", tmp_path / "why.html")
    assert "Why default/there is on n0" in (tmp_path / "why.html").read_text()


def test_a_pod_of_a_live_cluster(tmp_path):
    with serving(tmp_path, "--cluster", nodes_file(tmp_path)) as served:
        served.ask("POST", "/api/v1/namespaces/default/pods", pod_manifest("web", cpu="5"))
        served.until("/api/v1/namespaces/default/pods/web", lambda found: found["status"].get("conditions"))
        told = json.loads(explain("--kubeconfig", served.kubeconfig, "web", "--json"))
    assert told["advice"]["offers"][0]["text"] == "lower the request of cpu by 1 to 4"


@pytest.fixture
def results(tmp_path):
    pods = [pod_manifest(f"q-{i}", cpu="500m", duration="100s") for i in range(2)]
    write(tmp_path / "pods.json", *pods, pod_manifest("late", cpu="2", duration="1s"), pod_manifest("big", cpu="9"))
    (tmp_path / "experiment.yaml").write_text(EXPERIMENT)
    out = tmp_path / "out"
    done = wavetank("run", tmp_path / "experiment.yaml", "--explain", "-o", out)
    assert done.status == 0
    return out


def test_a_pod_of_a_run_is_helped_in_the_cluster_as_it_was(results):
    told = json.loads(explain(results, "big", "--json"))
    assert told["advice"]["offers"][0]["text"] == "lower the request of cpu by 7 to 2"
    assert told["notes"] == ["this is the cluster at the last attempt, at 101 s"]


def test_a_pod_of_a_run_that_found_a_node_has_no_advice(results):
    told = json.loads(explain(results, "late", "--json"))
    assert (told["pods"][-1]["outcome"], told["advice"]) == ("bound", None)


def test_a_run_that_has_changed_gives_no_advice(results, tmp_path):
    write(tmp_path / "pods.json", pod_manifest("big", cpu="8"))
    told = json.loads(explain(results, "big", "--json"))
    assert told["advice"] is None
    assert told["notes"] == [f"no advice: {results}/default/seed-1: the run has changed: make it again with --explain"]


def test_a_run_whose_files_are_gone_gives_no_advice(results, tmp_path):
    (tmp_path / "pods.json").unlink()
    (note,) = json.loads(explain(results, "big", "--json"))["notes"]
    assert "the run cannot be repeated: " in note
    assert "pods.json: no such file" in note
