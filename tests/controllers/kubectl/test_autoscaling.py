"""kubectl on autoscalers: autoscale, get -w, describe, top, as a user tries an HPA on a served cluster."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.apiserver.clients.gobuild import kubectl_binary
from tests.apiserver.serving import nodes_file, serving
from tests.support.waiting import PATIENCE_S

Kubectl = Callable[..., str]

METRICS = """
loads:
- {selector: {app: web}, total: 2}
- {selector: {app: web}, metric: memory, each: 64Mi}
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Serves a cluster whose clock runs sixty times as fast; yields kubectl's environment."""
    folder: Path = tmp_path_factory.mktemp("served")
    (folder / "load.yaml").write_text(METRICS)
    options = ("--cluster", nodes_file(folder), "--metrics-file", "load.yaml", "--speed", "60")
    with serving(folder, *options) as served:
        yield {"HOME": str(folder), "PATH": os.environ["PATH"], "KUBECONFIG": str(served.kubeconfig)}


@pytest.fixture(scope="module")
def kubectl(environment: dict[str, str]) -> Kubectl:
    """Runs kubectl; fails unless it ends well, and returns what it printed."""
    binary = str(kubectl_binary())

    def run(*words: str) -> str:
        done = subprocess.run([binary, *words], capture_output=True, text=True, env=environment, timeout=PATIENCE_S)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("create", "deployment", "web", "--image=nginx", "--replicas=2")
    run("set", "resources", "deployment", "web", "--requests=cpu=500m")
    run("rollout", "status", "deployment/web", "--timeout=300s")
    assert "autoscaled" in run("autoscale", "deployment", "web", "--min=1", "--max=6", "--cpu=50%")
    return run


def watched(environment: dict[str, str], until: str) -> list[list[str]]:
    """Watches the autoscaler until a line has this number of replicas; returns the cells of the lines."""
    command = [str(kubectl_binary()), "get", "hpa", "web", "-w"]
    watch = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert watch.stdout is not None
    lines: list[list[str]] = []
    try:
        while not lines or lines[-1][-2] != until:
            line = watch.stdout.readline()
            assert line, "the watch has ended"
            lines.append(line.split())
    finally:
        watch.terminate()
        watch.communicate(timeout=PATIENCE_S)
    return lines


def test_a_watch_shows_how_the_deployment_grows(kubectl: Kubectl, environment: dict[str, str]) -> None:
    head, *rows = watched(environment, until="6")
    assert head == ["NAME", "REFERENCE", "TARGETS", "MINPODS", "MAXPODS", "REPLICAS", "AGE"]
    assert {row[1] for row in rows} == {"Deployment/web"}
    assert rows[-1][2] == "cpu:"
    assert rows[-1][3].endswith("/50%")


def test_a_description_has_targets_conditions_and_events(kubectl: Kubectl, environment: dict[str, str]) -> None:
    watched(environment, until="6")
    described = kubectl("describe", "hpa", "web")
    for text in (
        "Min replicas:",
        "Max replicas:",
        "resource cpu on pods  (as a percentage of request):",
        "6 current / 6 desired",
        "AbleToScale",
        "ScalingActive",
        "ScalingLimited",
        "SuccessfulRescale",
        "above target",
    ):
        assert text in described


def test_top_shows_the_load_of_pods(kubectl: Kubectl, environment: dict[str, str]) -> None:
    watched(environment, until="6")
    kubectl("rollout", "status", "deployment/web", "--timeout=300s")
    rows = [line.split() for line in kubectl("top", "pods", "-l", "app=web").splitlines()]
    assert rows[0] == ["NAME", "CPU(cores)", "MEMORY(bytes)"]
    assert [row[1:] for row in rows[1:]] == [["333m", "64Mi"]] * 6
