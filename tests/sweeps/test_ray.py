"""Ray makes the same results as this machine, also if one of its workers is killed."""

import os
import signal
import threading
import time

import pytest

from tests.sweeps.trials import files_of, ran

ray = pytest.importorskip("ray")
pytestmark = [
    pytest.mark.skipif(not os.environ.get("WAVETANK_ALL"), reason="starts Ray, some minutes: make test-all"),
    pytest.mark.filterwarnings("ignore"),
]

SPEC = {"schedulers": [{"name": "default"}, {"name": "easy"}, {"name": "best-fit"}], "seeds": [1, 2, 3]}


@pytest.fixture(scope="module", autouse=True)
def two_workers():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def test_the_same_bytes_as_on_this_machine(tmp_path):
    from wavetank.sweeps.rayexecutor import on_ray

    ran(tmp_path / "here", **SPEC)
    ran(tmp_path / "ray", on_ray(), **SPEC)
    assert files_of(tmp_path / "ray") == files_of(tmp_path / "here")


def kill_a_worker_when(folder):
    """Kills the process of an unfinished run."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for path in folder.glob(".unfinished-*"):
            os.kill(int(path.name.rpartition("-")[2]), signal.SIGKILL)
            return
        time.sleep(0.001)


def test_a_worker_that_is_killed_is_replaced(tmp_path):
    from wavetank.sweeps.rayexecutor import on_ray

    burst = {"kind": "burst", "pods": 3000, "duration": {"uniform": [5, 30]}, "requests": {"cpu": 1}}
    spec = {**SPEC, "workload": {"generator": burst}}
    killer = threading.Thread(target=kill_a_worker_when, args=(tmp_path / "ray/.runs",))
    killer.start()
    ran(tmp_path / "ray", on_ray(), **spec)
    killer.join()
    ran(tmp_path / "here", **spec)
    assert files_of(tmp_path / "ray") == files_of(tmp_path / "here")
