"""The interface of `wavetank operator run` and `wavetank operator simulate`, in processes of their own."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from tests.apiserver.serving import TOKEN, Served
from tests.apiserver.serving import serving as serving_api
from tests.batchoperator.cluster import LABEL
from tests.loop.realscheduler import find_kube_scheduler
from tests.support.objects import node_manifest
from tests.support.paths import ROOT
from tests.support.waiting import PATIENCE_S
from wavetank.batchoperator.esi.client import ExternalSchedulerClient, ExternalSchedulerError
from wavetank.cli.main import main
from wavetank.errors import InputError
from wavetank.experiments.document.experiment import read_experiment
from wavetank.simulation.world import World

EXAMPLE = ROOT / "examples/batch-operator"
ENDED = ("CompletedState", "FinishedState")


def wavetank(*words: str) -> list[str]:
    return [sys.executable, "-m", "wavetank", *words]


@contextmanager
def operator(*words: str, folder: Path | None = None) -> Iterator[ExternalSchedulerClient]:
    """Runs a command of the operator until the block ends, and returns a client of its interface."""
    command = wavetank("operator", *words, "--interface", "127.0.0.1:0", "--token", TOKEN)
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    printed = dict(process.stdout.readline().split() for _ in range(3 if words[0] == "run" else 2))
    try:
        assert printed["page:"] == f"{printed['interface:']}/#token={TOKEN}"
        yield ExternalSchedulerClient(printed["interface:"], TOKEN)
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, errors) == (0, "")


def test_an_experiment_is_scheduled_from_outside() -> None:
    with operator("simulate", str(EXAMPLE / "experiment.yaml"), "--speed", "max") as client:
        client.wait("testbeds", "batchjob-slots", lambda testbed: testbed.state == "SUCCESS")
        client.queue("q", "batchjob-slots", ["spark-pi", "word-count"])
        client.wait("schedulings", "q", lambda scheduling: scheduling.state in ENDED)
        [run] = client.job("spark-pi").scheduled_events or []
        assert run.successful


def test_a_policy_of_an_experiment_can_be_watched() -> None:
    words = ("simulate", str(EXAMPLE / "experiment.yaml"), "--speed", "max", "--scheduler", "longest-first")
    with operator(*words) as client:
        client.wait("jobs", "word-count", lambda job: any(run.successful for run in job.scheduled_events or ()))


@contextmanager
def serving_jobs(folder: Path, *options: str) -> Iterator[Served]:
    """Serves a cluster with the testbed and the jobs of the example, which run for a second."""
    nodes = [node_manifest(f"n{i}", cpu=2, memory="8Gi", labels={LABEL: str(i)}) for i in range(2)]
    (folder / "nodes.yaml").write_text(yaml.safe_dump_all([*nodes, node_manifest("drivers", cpu=16, memory="32Gi")]))
    with serving_api(folder, "--cluster", "nodes.yaml", *options) as served:
        install = wavetank("operator", "install", "--applications", "--kubeconfig", str(served.kubeconfig))
        subprocess.run(install, check=True, capture_output=True)
        for document in yaml.safe_load_all((EXAMPLE / "jobs.yaml").read_text()):
            if document["kind"] == "BatchJob":
                document["metadata"]["annotations"] = {"wavetank.dev/work": "1s"}
            path = f"/apis/esi.tu-berlin.de/v1alpha1/namespaces/default/{document['kind'].lower()}s"
            assert served.ask("POST", path, document).status == 201
        yield served


def test_an_operator_over_http_is_driven_through_its_interface(tmp_path: Path) -> None:
    with (
        serving_jobs(tmp_path) as served,
        operator("run", "--kubeconfig", str(served.kubeconfig), "--extender", "127.0.0.1:0") as client,
    ):
        client.wait("testbeds", "batchjob-slots", lambda testbed: testbed.state == "SUCCESS")
        client.queue("q", "batchjob-slots", ["spark-pi"])
        assert client.scheduling("q").queue == ["spark-pi"]  # what was written is read at once
        client.queue("q", "batchjob-slots", ["spark-pi", "spark-pi"])
        client.wait("jobs", "spark-pi", lambda job: job.state != "ReadyState")
        with pytest.raises(ExternalSchedulerError, match="there is no job"):
            client.queue("q", "batchjob-slots", ["nothing"])
        client.store("word-count", {"notes": [{"a": "b"}]})
        assert client.job("word-count").external_scheduler == {"notes": [{"a": "b"}]}
        assert client.delete("q") is not None
        client.wait("jobs", "spark-pi", lambda job: job.state == "ReadyState")


@contextmanager
def kube_scheduler(served: Served, folder: Path, extender: str) -> Iterator[None]:
    """Runs the real kube-scheduler with the operator's extender."""
    configuration = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "clientConnection": {"kubeconfig": str(served.kubeconfig)},
        "leaderElection": {"leaderElect": False},
        "profiles": [{"schedulerName": "default-scheduler"}, {"schedulerName": "external-scheduler"}],
        "extenders": [{"urlPrefix": extender, "filterVerb": "filter", "preemptVerb": "preemption", "weight": 1}],
    }
    (folder / "scheduler.yaml").write_text(yaml.safe_dump(configuration))
    command = [find_kube_scheduler().file, "--config", str(folder / "scheduler.yaml"), "--secure-port=0"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def test_the_real_kube_scheduler_places_what_an_external_scheduler_queues(tmp_path: Path) -> None:
    find_kube_scheduler()
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with serving_jobs(tmp_path, "--scheduler", "none") as served:
        words = ("run", "--kubeconfig", str(served.kubeconfig), "--extender", address, "--simulate-applications")
        with operator(*words) as client, kube_scheduler(served, tmp_path, f"http://{address}/extender"):
            client.wait("testbeds", "batchjob-slots", lambda testbed: testbed.state == "SUCCESS")
            client.queue("q", "batchjob-slots", ["spark-pi", "spark-pi", "word-count", "tera-sort", "k-means"])
            done = client.wait("schedulings", "q", lambda scheduling: scheduling.state in ENDED)
            assert done.problems == []
            for status in done.job_status or ():
                [run] = client.job(status.name).scheduled_events or []
                assert run.successful


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        pytest.param(("--interface", "8082"), "--interface: expected HOST:PORT, got '8082'", id="address"),
        pytest.param(("--speed", "fast"), "--speed: expected a speed such as 1, 60 or max", id="speed"),
        pytest.param(("--scheduler", "x"), "--scheduler: expected one of fifo, shortest-first", id="scheduler"),
        pytest.param(("--token", "a", "--no-auth"), "--token and --no-auth cannot be used together", id="token"),
    ],
)
def test_bad_options_end_with_one_message(
    words: tuple[str, ...], problem: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert fails(("operator", "simulate", str(EXAMPLE / "experiment.yaml"), *words), monkeypatch) == 2
    assert problem in capsys.readouterr().err


def test_an_experiment_without_an_operator_cannot_be_simulated(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first = str(ROOT / "examples/01-first-experiment/experiment.yaml")
    assert fails(("operator", "simulate", first), monkeypatch) == 2
    assert "spec.operator: expected an experiment with the batch operator" in capsys.readouterr().err


def fails(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> object:
    """Runs the command line in this process and returns its exit status."""
    monkeypatch.setattr(sys, "argv", ["wavetank", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    return ended.value.code


def test_an_external_scheduler_needs_an_operator() -> None:
    [fifo, *_] = read_experiment(EXAMPLE / "experiment.yaml").schedulers
    with pytest.raises(InputError, match="an external scheduler needs an `operator` in the experiment"):
        World((1, 35)).attach(fifo.schedulers)
