"""`execution: k8ssim` in an experiment: K8sSim's nodes run the pods, and its tables are among the results."""

import json

import pytest

import wavetank
from wavetank.errors import InputError

NODES = {"nodes": [{"count": 1, "cpu": 4, "memory": "8Gi"}]}


def a_job(name, *, at="0", replicas=2, epochs=1, labels=None):
    resources = {"requests": {"cpu": "0.8", "memory": "1000Mi"}, "limits": {"cpu": "1.0", "memory": "2000Mi"}}
    container = {
        "name": "c",
        "image": "i",
        "command": ["python3", "x.py", f"--epochs={epochs}"],
        "resources": resources,
    }
    template = {
        "metadata": {"labels": {"job": name, **(labels or {})}},
        "spec": {"containers": [container], "restartPolicy": "OnFailure"},
    }
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": name, "labels": {"sub-time": at}},
        "spec": {"minAvailable": replicas, "tasks": [{"name": "t", "replicas": replicas, "template": template}]},
    }


@pytest.fixture
def run(tmp_path):
    def run(*jobs, **more):
        file = tmp_path / "jobs.json"
        file.write_text(json.dumps({"jobs": jobs}))
        out = tmp_path / "out"
        given = {"cluster": NODES, "schedulers": ["LRP"], "execution": "k8ssim", **more}
        wavetank.run(workload=file, out=out, jobs=1, **given)
        return out / "LRP" / "seed-1"

    return run


def test_the_tables_are_those_of_k8ssims_client(run):
    # made in 2.5 s, so ready at 3 and 4; 193 seconds each, at 0.7 of work a second
    folder = run(a_job("one"), a_job("two", at="10", replicas=1))
    tasks = (folder / "tasksSUM.csv").read_text().splitlines()
    assert tasks[1:] == [
        "default-one-t-0,one,0001-01-01 00:00:00,0001-01-01 00:00:00,0001-01-01 00:00:00,0001-01-01 00:03:15,"
        "0.0,0.0,0.0,195.0,195.0,node-0,800m,1,1000Mi,2000Mi,0,0",
        "default-one-t-1,one,0001-01-01 00:00:00,0001-01-01 00:00:00,0001-01-01 00:00:00,0001-01-01 00:03:16,"
        "0.0,0.0,0.0,196.0,196.0,node-0,800m,1,1000Mi,2000Mi,0,0",
        "default-two-t-0,two,0001-01-01 00:00:10,0001-01-01 00:00:10,0001-01-01 00:00:10,0001-01-01 00:03:24,"
        "0.0,0.0,0.0,194.0,194.0,node-0,800m,1,1000Mi,2000Mi,0,0",
    ]
    assert (folder / "coutJCT.csv").read_text() == "Job Name,Job Completed Time(s)\njob1,196.0\n"


def test_terminated_tasks_have_failed_and_are_in_no_table(run):
    folder = run(a_job("one", labels={"terminationTime": "50", "terminationLimit": "1"}))
    pods = (folder / "pods.csv").read_text().splitlines()
    assert [line.split(",")[8] for line in pods[1:]] == ["Failed", "Succeeded"]
    assert len((folder / "tasksSUM.csv").read_text().splitlines()) == 2


def test_restarts_are_counted(run):
    folder = run(a_job("one", replicas=1, labels={"restartTime": "50"}))
    (pod,) = (folder / "pods.csv").read_text().splitlines()[1:]
    assert pod.split(",")[8:11] == ["Succeeded", "", "1"]


def test_other_runs_refuse_restarts_and_write_no_such_tables(run):
    folder = run(a_job("one"), execution="kubelet")
    assert not (folder / "tasksSUM.csv").exists()
    with pytest.raises(InputError, match="restarts and terminations of tasks need `execution: k8ssim`"):
        run(a_job("one", labels={"restartTime": "50"}), execution="kubelet")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"execution": "k8sim"}, "spec.execution: expected kubelet or k8ssim, got 'k8sim'"),
        ({"latency": "k3s"}, "spec.latency: execution k8ssim has times of its own: leave the latency out"),
        (
            {"faults": [{"at": 5, "fail": "node-0"}]},
            "spec.faults: nodes of execution k8ssim do not fail: leave the faults out",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(run, more, message):
    with pytest.raises(InputError) as refused:
        run(a_job("one"), **more)
    assert message in str(refused.value)


def test_tasks_of_a_gang_run_after_others_of_it_have_ended(run):
    """Of 6 tasks 5 fit on the node; the last one starts although fewer than minAvailable are left."""
    job = a_job("one", replicas=6)
    job["spec"]["minAvailable"] = 4
    folder = run(job, schedulers=["GANG_LRP"]).parents[1] / "GANG_LRP" / "seed-1"
    assert [line.split(",")[8] for line in (folder / "pods.csv").read_text().splitlines()[1:]] == ["Succeeded"] * 6
