"""The command as its users meet it: files, addresses, certificates, the clock."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
import yaml

from tests.apiserver.serving import Served, a_small_pod, nodes_file, serving
from tests.support.waiting import PATIENCE_S, eventually
from wavetank.apiserver.http.kubeconfig import read_kubeconfig

PODS = "/api/v1/namespaces/default/pods"


def wavetank(folder: Path, *words: str, status: int = 0) -> str:
    """Runs a command to its end."""
    done = subprocess.run(
        [sys.executable, "-m", "wavetank", *words], cwd=folder, capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def clock(served: Served, *words: str) -> str:
    return wavetank(served.kubeconfig.parent, "clock", "--kubeconfig", str(served.kubeconfig), *words)


def create(served: Served, *pods: dict[str, Any]) -> None:
    for pod in pods:
        answer = served.ask("POST", PODS, pod)
        assert answer.status == 201, answer.body


def phase(served: Served, name: str) -> str:
    return str(served.ask("GET", f"{PODS}/{name}").json["status"]["phase"])


def test_a_token_of_its_own_is_made_and_written(tmp_path: Path) -> None:
    kubeconfig = tmp_path / "wavetank.kubeconfig"
    command = [sys.executable, "-m", "wavetank", "serve", "--bare", "--port", "0"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().split()[1]
        assert process.stdout.readline().split() == ["kubeconfig:", "wavetank.kubeconfig"]
        config = yaml.safe_load(kubeconfig.read_text())
        served = Served(process, url, kubeconfig, config["users"][0]["user"]["token"])
        assert served.ask("GET", "/readyz").status == 200
        process.terminate()
        assert process.wait(10) == 0
    assert len(served.token or "") >= 32
    assert stat.S_IMODE(kubeconfig.stat().st_mode) == 0o600


def test_without_auth_no_token_is_needed_but_web_pages_are_refused(tmp_path: Path) -> None:
    with serving(tmp_path, "--bare", token=None) as served:
        assert served.ask("GET", "/api/v1/pods").status == 200
        assert served.ask("GET", "/api/v1/pods", Origin="http://evil.example").status == 403
        assert served.ask("GET", "/api/v1/pods", Host="evil.example").status == 403


def test_it_listens_on_one_address_of_loopback_only(bare: Served) -> None:
    with pytest.raises(ConnectionError), socket.create_connection(("127.0.0.2", bare.port), timeout=PATIENCE_S):
        pass


def test_the_server_has_a_certificate_that_only_the_kubeconfig_trusts(bare: Served) -> None:
    assert bare.url.startswith("https://127.0.0.1:")
    assert bare.ask("GET", "/readyz").body == b"ok"
    assert "speed:      1x" in clock(bare, "status")
    distrusting = http.client.HTTPSConnection("127.0.0.1", bare.port, timeout=PATIENCE_S)
    with pytest.raises(ssl.SSLCertVerificationError):
        distrusting.request("GET", "/readyz")
    distrusting.close()


def test_plain_http_is_served_if_asked_for(tmp_path: Path) -> None:
    with serving(tmp_path, "--bare", "--http") as served:
        assert served.url.startswith("http://127.0.0.1:")
        assert served.ask("GET", "/readyz").body == b"ok"
        assert "speed:      1x" in clock(served, "status")


def test_on_loopback_the_page_needs_no_certificate_that_browsers_know(bare: Served) -> None:
    with urlopen(f"http://127.0.0.1:{bare.port}/ui/") as answer:
        assert b"<title>" in answer.read()


def test_on_other_addresses_the_token_never_goes_over_plain_http(tmp_path: Path) -> None:
    with serving(tmp_path, "--bare", "--host", "0.0.0.0") as served:
        assert served.ask("GET", "/readyz").body == b"ok"
        with pytest.raises(OSError, match=r"reset|closed|Remote end"):
            urlopen(f"http://127.0.0.1:{served.port}/readyz")


def test_every_namespace_has_the_authority_that_the_kubeconfig_trusts(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        published = served.until("/api/v1/namespaces/default/configmaps/kube-root-ca.crt", lambda found: found["data"])
        assert published["data"]["ca.crt"].encode() == read_kubeconfig(served.kubeconfig).authority


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--speed", "fast"), "--speed: expected a speed such as 1, 60 or max, got 'fast'"),
        (("--webhook-service", "all=https://x"), "--webhook-service: expected NAMESPACE/NAME=URL, got 'all=https://x'"),
        (("--scheduler", "nobody"), "--scheduler: "),
        (("--latency", "warp"), "--latency: unknown latency preset 'warp'"),
        (("--cluster", "missing.yaml"), "missing.yaml"),
        (("--token", "a", "--no-auth"), "--token and --no-auth cannot be used together"),
        (("--token", ""), "--token: expected a text"),
        (("--host", "256.256.256.256"), "cannot listen on 256.256.256.256:0"),
        (("--kubeconfig", "diary.txt"), "diary.txt: there is a kubeconfig of another cluster"),
    ],
)
def test_a_wrong_option_is_one_line(options: tuple[str, ...], message: str, tmp_path: Path) -> None:
    (tmp_path / "diary.txt").write_text("dear diary")
    printed = wavetank(tmp_path, "serve", "--port", "0", *options, status=2)
    assert message in printed
    assert printed.count("\n") == 1


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        printed = wavetank(tmp_path, "serve", "--bare", "--port", str(port), status=2)
    assert printed == f"cannot listen on 127.0.0.1:{port}: Address already in use (--port 0 picks a free one)\n"
    assert not (tmp_path / "wavetank.kubeconfig").exists()


def test_a_clock_without_a_server_says_so(tmp_path: Path) -> None:
    assert "found no server" in wavetank(tmp_path, "clock", "status", status=2)
    with serving(tmp_path, "--bare") as served:
        pass
    assert "is wavetank serve running?" in wavetank(
        tmp_path, "clock", "--kubeconfig", str(served.kubeconfig), "status", status=2
    )


def elapsed(served: Served) -> float:
    seconds: float = served.ask("GET", "/wavetank/clock").json["elapsedSeconds"]
    return seconds


def test_the_clock_can_be_stopped_stepped_and_moved(tmp_path: Path) -> None:
    options = ("--cluster", nodes_file(tmp_path), "--latency", "ideal", "--paused")
    with serving(tmp_path, *options) as served:
        assert "speed:      1x, paused" in clock(served, "status")
        create(served, a_small_pod("p", duration="1h"))
        for _ in range(5):
            assert phase(served, "p") == "Pending"
        clock(served, "step")
        assert "1.000 s since the start" in clock(served, "advance", "1s")
        assert phase(served, "p") == "Running"
        assert "next event: in 3599.000 s" in clock(served, "status")
        assert "1801.000 s since the start" in clock(served, "advance", "30m")
        assert phase(served, "p") == "Running"
        assert "3600.000 s since the start" in clock(served, "step")
        assert phase(served, "p") == "Succeeded"
        assert "next event: none" in clock(served, "step")
        assert "speed:      60x\n" in clock(served, "resume", "--speed", "60")
        before = elapsed(served)
        eventually(lambda: elapsed(served) > before + 20, "the clock stands")
        clock(served, "pause")
        standing = served.ask("GET", "/wavetank/clock").json
        for _ in range(5):
            assert served.ask("GET", "/wavetank/clock").json == standing


@pytest.mark.parametrize(
    ("method", "path", "code"),
    [
        ("GET", "/wavetank/clock/pause", 405),
        ("POST", "/wavetank/clock", 405),
        ("POST", "/wavetank/clock/rewind", 404),
        ("POST", "/wavetank/clock/advance", 400),
        ("POST", "/wavetank/clock/advance?by=-1h", 400),
        ("POST", "/wavetank/clock/resume?speed=warp", 400),
        ("GET", "/wavetank/other", 404),
    ],
)
def test_what_the_clock_cannot_do_is_a_status(method: str, path: str, code: int, bare: Served) -> None:
    answer = bare.ask(method, path)
    assert (answer.status, answer.json["kind"]) == (code, "Status")


def test_at_full_speed_hours_pass_at_once_and_the_clock_stands_when_nothing_is_left(tmp_path: Path) -> None:
    with serving(tmp_path, "--cluster", nodes_file(tmp_path), "--speed", "max") as served:
        create(served, a_small_pod("p", duration="10h"))
        served.until(f"{PODS}/p", lambda pod: pod["status"]["phase"] == "Succeeded")
        state = served.ask("GET", "/wavetank/clock").json
        assert 36_000 < state["elapsedSeconds"] < 36_100
        assert state["idle"]
        create(served, a_small_pod("q", duration="10h"))
        served.until(f"{PODS}/q", lambda pod: pod["status"]["phase"] == "Succeeded")
        assert served.ask("GET", "/wavetank/clock").json["elapsedSeconds"] > 72_000


def test_clients_are_not_starved_while_time_flies(tmp_path: Path) -> None:
    with serving(tmp_path, "--cluster", nodes_file(tmp_path), "--speed", "max", "--paused") as served:
        create(served, *(a_small_pod(f"p-{i}", duration=f"{100 + i}s") for i in range(300)))
        clock(served, "resume")
        seen = set()
        while (state := served.ask("GET", "/wavetank/clock").json)["idle"] is False:
            assert served.ask("GET", f"{PODS}/p-7").status == 200
            seen.add(state["elapsedSeconds"])
        assert len(seen) > 2, "requests are answered between the events"
        pods = served.ask("GET", PODS).json["items"]
        assert {pod["status"]["phase"] for pod in pods} == {"Succeeded"}


def test_without_kubelets_bound_pods_wait_for_one(tmp_path: Path) -> None:
    with serving(tmp_path, "--cluster", nodes_file(tmp_path), "--kubelets", "off") as served:
        create(served, a_small_pod("p"))
        pod = served.until(f"{PODS}/p", lambda pod: "nodeName" in pod["spec"])
        assert pod["status"]["phase"] == "Pending"
        assert "containerStatuses" not in pod["status"]


def test_without_a_scheduler_pods_wait_for_one(tmp_path: Path) -> None:
    with serving(tmp_path, "--cluster", nodes_file(tmp_path), "--scheduler", "none") as served:
        create(served, a_small_pod("p"))
        binding = {"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n2"}}
        assert served.ask("POST", f"{PODS}/p/binding", binding).status == 201
        pod = served.until(f"{PODS}/p", lambda pod: pod["status"]["phase"] == "Running")
        assert pod["spec"]["nodeName"] == "n2"


def test_a_scheduler_that_fails_ends_the_server_with_its_words(tmp_path: Path) -> None:
    policy = (
        "import wavetank\n\nclass Clumsy(wavetank.Policy):\n    def score(self, pod, node):\n        return 1 / 0\n"
    )
    (tmp_path / "clumsy.py").write_text(policy)
    with serving(tmp_path, "--cluster", nodes_file(tmp_path), "--scheduler", "clumsy:Clumsy", ends=3) as served:
        create(served, a_small_pod("p"))
        assert served.process.wait(20) == 3


def test_a_snapshot_of_a_cluster_is_served_as_it_is(tmp_path: Path) -> None:
    running = a_small_pod("old", metadata={"namespace": "team"}, labels={"a": "b"})
    running["spec"]["nodeName"] = "n1"
    running["status"] = {"phase": "Running"}
    (tmp_path / "pods.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [running]}))
    files = ("--cluster", nodes_file(tmp_path), "--cluster", str(tmp_path / "pods.json"))
    with serving(tmp_path, *files) as served:
        assert served.ask("GET", "/api/v1/namespaces/team").json["status"]["phase"] == "Active"
        pod = served.ask("GET", "/api/v1/namespaces/team/pods/old").json
        assert pod["status"]["containerStatuses"][0]["ready"] is True
        assert served.ask("DELETE", "/api/v1/namespaces/team/pods/old").status == 200


def test_full_admission_wants_service_accounts(tmp_path: Path) -> None:
    with serving(tmp_path, "--bare", "--admission", "full") as served:
        answer = served.ask("POST", PODS, a_small_pod("p"))
        assert answer.status == 403
        assert "serviceaccount" in answer.json["message"]


def test_a_service_account_acts_with_its_token_but_does_not_set_the_clock(bare: Served) -> None:
    accounts = "/api/v1/namespaces/default/serviceaccounts"
    assert bare.ask("POST", accounts, {"metadata": {"name": "robot"}}).status == 201
    issued = bare.ask("POST", f"{accounts}/robot/token", {"spec": {}})
    robot = f"Bearer {issued.json['status']['token']}"
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    answer = bare.ask("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", review, Authorization=robot)
    assert answer.json["status"]["userInfo"]["username"] == "system:serviceaccount:default:robot"
    assert bare.ask("GET", "/wavetank/", Authorization=robot).status == 401


def test_an_unknown_method_is_refused_as_a_method(bare: Served) -> None:
    answer = bare.ask("BREW", PODS)
    assert (answer.status, answer.json["reason"]) == (405, "MethodNotAllowed")
    assert bare.ask("BREW", PODS, Authorization="Bearer wrong").status == 401
