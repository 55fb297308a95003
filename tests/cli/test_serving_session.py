"""`wavetank serve --record` leaves results of the session, and the server says what happens."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

import wavetank as package
from tests.apiserver.serving import Served, a_small_pod, nodes_file, serving
from tests.cli.commands import Wavetank, refused
from wavetank.apiserver.clock.pacing import Pacing
from wavetank.apiserver.requests.request import User
from wavetank.cli.activity import Activity
from wavetank.cluster.releases import NEWEST, version_name
from wavetank.simulation.served.cluster import ServedCluster, ServedSetting

PODS = "/api/v1/namespaces/default/pods"


def run_a_session(folder: Path, *options: str) -> str:
    """Serves three pods for an hour of the cluster, and returns what the server wrote to its terminal."""
    with serving(folder, "--cluster", nodes_file(folder), "--record", "out/session", "--paused", *options) as served:
        for name in ("one", "two", "three"):
            assert served.ask("POST", PODS, a_small_pod(name, "60s")).status == 201
        served.ask("POST", "/wavetank/clock/advance?by=1h")
        return end(served)


def release_of(results: Path) -> str:
    return str(json.loads((results / "experiment.json").read_text())["kubernetesVersion"])


def end(served: Served) -> str:
    served.process.terminate()
    assert served.process.stderr is not None
    written = served.process.stderr.read()
    assert served.process.wait() == 0
    return written


def test_a_recorded_session_has_results_with_times_from_its_start(tmp_path: Path) -> None:
    run_a_session(tmp_path)
    results = package.open_results(tmp_path / "out/session")
    pods = results.pods("default", 1, frame="rows")
    assert [pod["name"] for pod in pods] == ["one", "two", "three"]
    assert {pod["phase"] for pod in pods} == {"Succeeded"}
    assert all(pod["submitted"] == 0 and 60 <= pod["finished"] < 70 for pod in pods)
    (row,) = results.summary(frame="rows")
    assert (row["scheduler"], row["pods"], row["succeeded_pods"]) == ("default", 3, 3)
    assert release_of(tmp_path / "out/session") == version_name(NEWEST)  # as of `wavetank run`
    assert results.report.exists()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param((), ["requests"], id="a line now and then"),
        pytest.param(("--quiet",), [], id="nothing"),
        pytest.param(("--verbose",), [f"POST {PODS} 201", "bound default/one to n", "succeeded default/two"], id="all"),
    ],
)
def test_the_server_says_what_happens(tmp_path: Path, options: tuple[str, ...], expected: list[str]) -> None:
    written = run_a_session(tmp_path, *options)
    assert all(text in written for text in expected)
    assert bool(expected) == bool(written)


def test_a_session_without_pods_or_scheduler_has_results_too(tmp_path: Path) -> None:
    options = ("--bare", "--record", "out/session", "--kubernetes-version", "1.34")
    with serving(tmp_path, *options) as served:
        end(served)
    assert release_of(tmp_path / "out/session") == "1.34"
    (row,) = package.open_results(tmp_path / "out/session").summary(frame="rows")
    assert (row["scheduler"], row["pods"]) == ("external", 0)


def test_a_release_that_is_not_known_is_refused(wavetank: Wavetank) -> None:
    ended = wavetank("serve", "--kubernetes-version", "1.99")
    assert (ended.status, ended.err.startswith('--kubernetes-version: expected a release from "1.19" to')) == (2, True)


def test_a_folder_with_other_contents_is_refused_before_serving(wavetank: Wavetank, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/letter.txt").touch()
    assert "something else in it" in refused(wavetank, tmp_path, "serve", "--bare", "--record", "mine")


def test_a_terminal_has_one_line_that_is_kept_current() -> None:
    written = io.StringIO()
    activity = Activity(Console(file=written, force_terminal=True, width=120))
    cluster = ServedCluster(ServedSetting(start=0), lambda token: User(), observers=(activity,))
    activity.requests = 1234
    activity.show(Pacing(cluster.clock, paused=True))
    assert written.getvalue().startswith("\r\x1b[2K")
    assert "(paused) · 1,234 requests · 0 pods created, 0 bound, 0 ended" in written.getvalue()
    written.seek(0)
    written.truncate()
    activity.show(Pacing(cluster.clock, paused=True))
    assert written.getvalue() == ""


@pytest.mark.parametrize("option", ["--record", "--node-groups"])
def test_a_kept_cluster_has_neither_a_recording_nor_node_groups(wavetank: Wavetank, here: Path, option: str) -> None:
    message = refused(wavetank, here, "serve", "--state", "state", option, "x")
    assert f"{option} and --state cannot be used together" in message
