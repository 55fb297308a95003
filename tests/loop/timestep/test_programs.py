from __future__ import annotations

import socket
import subprocess
import sys
from itertools import repeat
from pathlib import Path

import pytest

from tests.loop.programs import an_experiment, run_entry, seconds_of
from tests.loop.timestep.replier import Replier
from wavetank.loop.errors import ProcessError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs run in the loop on Linux")

PLAIN = Path(__file__).parents[1] / "plain_scheduler.py"
FAST = {"mode": "timestep", "fast-forward-on-no-pending-jobs": True}


def a_free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def run_in_timesteps(process):
    return run_entry(
        an_experiment(
            cluster={"nodes": [{"count": 4, "cpu": 1, "memory": "8Gi"}]},
            workload={"generator": {"kind": "burst", "pods": 8, "duration": 170, "requests": {"cpu": 1}}},
            schedulers=[{"name": "mine", "process": process}],
        )
    )


def assert_two_rounds_late(recorder):
    """Two rounds of 170 s, and not a single pod at the instant at which an exact scheduler would have placed it."""
    assert all(row.phase == "Succeeded" for row in recorder.rows)
    assert all(row.scheduled > 0 for row in recorder.rows)
    assert max(seconds_of(row.finished) for row in recorder.rows) > 340


def test_a_scheduler_on_its_own_clock_comes_through_but_late():
    assert_two_rounds_late(run_in_timesteps({"command": [sys.executable, str(PLAIN), "{server}"], "sync": FAST}))


def test_a_scheduler_that_the_user_starts_connects_to_the_address():
    port = a_free_port()
    waiting = f"import time, runpy, sys; sys.argv[1:] = ['http://127.0.0.1:{port}']; time.sleep(1); "
    program = subprocess.Popen(
        [sys.executable, "-c", f"{waiting}runpy.run_path({str(PLAIN)!r})"], stderr=subprocess.DEVNULL
    )
    try:
        assert_two_rounds_late(run_in_timesteps({"listen": f"127.0.0.1:{port}", "sync": FAST}))
    finally:
        program.kill()
        program.wait()


HOSTILE = """
import http.client, runpy, sys
from urllib.parse import urlsplit
PODS = "/api/v1/namespaces/default/pods"
def ask(expected, body=None, **headers):
    connection = http.client.HTTPConnection(urlsplit(sys.argv[1]).netloc)
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request("POST" if body else "GET", PODS, body, sent)
    status = connection.getresponse().status
    if status != expected:
        sys.exit(f"expected {expected}, got {status}")
ask(400, b"[" * 40_000, Content_Type="application/yaml")
ask(403, Host="evil.example")
ask(403, Origin="http://evil.example")
ask(403, Origin="http://[")
runpy.run_path(%r, run_name="__main__")
"""


def test_a_program_cannot_end_the_run_by_a_deep_document_and_no_web_page_may_ask():
    command = [sys.executable, "-c", HOSTILE % str(PLAIN), "{server}"]
    assert_two_rounds_late(run_in_timesteps({"command": command, "sync": FAST}))


def test_a_scheduler_that_gets_the_time_is_disconnected_at_the_end_of_the_run():
    replier = Replier(repeat([]))
    sync = {**FAST, "batsky-endpoint": replier.endpoint}
    try:
        assert_two_rounds_late(run_in_timesteps({"command": [sys.executable, str(PLAIN), "{server}"], "sync": sync}))
        assert replier.is_left()
    finally:
        replier.stop()


def test_one_that_exits_is_named():
    process = {"command": [sys.executable, str(PLAIN), "{server}", "exit"], "sync": FAST}
    with pytest.raises(ProcessError, match=r"scheduler mine has exited with status 1; its log ends: cannot go on"):
        run_in_timesteps(process)


def test_one_that_never_decides_is_a_crash():
    sync = {**FAST, "detect-scheduler-deadlock": True, "scheduler-crash-timeout": "1s"}
    with pytest.raises(ProcessError, match="has not reacted"):
        run_in_timesteps({"command": [sys.executable, str(PLAIN), "{server}", "mute"], "sync": sync})
