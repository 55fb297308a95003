"""Kills `wavetank serve --state` once in every simulated day, and checks that nothing is lost.

    make soak-restarts
    python bench/soak_restarts.py --weeks 4 --json out/soak-restarts.json

The cluster is that of `bench/soak.py`, with pods whose containers differ. Every other time the server is killed while
its clock stands still: then all objects must be the same afterwards. The other times it is killed at a random moment
while clients write and the clock is advanced: then every write that was answered must be there. Exit status 1 if
anything is lost, or if the folder takes more than 32 MB.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from soak import Churn, Client, Document, start_server

WRITERS = 3
MAPS = "/api/v1/namespaces/default/configmaps"
KINDS = (
    "/api/v1/pods",
    "/api/v1/nodes",
    MAPS,
    "/apis/apps/v1/deployments",
    "/apis/apps/v1/replicasets",
    "/apis/batch/v1/jobs",
    "/apis/batch/v1/cronjobs",
)
MOST_MB = 32.0  # of the folder
_GONE = (OSError, http.client.HTTPException)


@dataclass(frozen=True)
class Restart:
    """A killed server and the one after it: how large the folder was, and when the next one answered."""

    hour: int
    busy: bool
    checked: int  # objects that were compared
    writes: int  # that were answered before it was killed, if it was busy
    lost: int  # objects that are not as they were, or older than the last answer was
    state_mb: float
    recovery_s: float  # the start of Python included


class Writer(threading.Thread):
    """Counts up config maps of its own until the server is gone; `answered` has the last number of each."""

    def __init__(self, port: int, number: int) -> None:
        super().__init__(daemon=True)
        self.answered: dict[str, int] = {}
        self.writes = 0
        self._client, self._number = Client(port), number

    def run(self) -> None:
        """Writes until it fails."""
        with contextlib.suppress(*_GONE):
            while True:
                self._write(f"w-{self._number}-{self.writes % 5}", self.writes)
                self.writes += 1

    def _write(self, name: str, number: int) -> None:
        body = {"metadata": {"name": name}, "data": {"number": str(number)}}
        found = self._client.ask("PATCH", f"{MAPS}/{name}", body)
        if found.get("kind") == "Status":  # there is none yet
            self._client.ask("POST", MAPS, body)
        self.answered[name] = number


class Advance(threading.Thread):
    """Advances the clock by an hour, unless the server is killed before."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        self._client = Client(port)

    def run(self) -> None:
        """Waits for the hour to pass."""
        with contextlib.suppress(*_GONE):
            self._client.ask("POST", "/wavetank/clock/advance?by=1h")


class RestartedServer:
    """A server with a folder for its state, which is killed and started again."""

    def __init__(self, folder: str, state: Path, seed: int) -> None:
        self._folder, self._state = folder, state
        self._random = random.Random(seed)
        self.process, port = start_server(folder, state)
        self.client = Client(port)

    def restart(self, hour: int, busy: bool) -> Restart:
        """Kills the server, in the midst of writes if `busy`, starts another one, and says what is lost."""
        for each in self.client.watches:
            each.close()
        self.client.watches.clear()
        expected, writes = self._kill_busy() if busy else self._kill_quiet()
        size = sum(path.stat().st_size for path in self._state.iterdir()) / 1e6
        begun = time.monotonic()
        self.process, port = start_server(self._folder, self._state)
        self.client.leave()
        self.client.port = port
        self.client.ask("GET", MAPS)
        took = time.monotonic() - begun
        lost = self._lost_writes(expected) if busy else self._lost_objects(expected)
        return Restart(hour, busy, len(expected), writes, lost, size, took)

    def _kill_quiet(self) -> tuple[Document, int]:
        expected = self._objects()
        self._kill()
        return expected, 0

    def _kill_busy(self) -> tuple[Document, int]:
        writers = [Writer(self.client.port, number) for number in range(WRITERS)]
        threads = [*writers, Advance(self.client.port)]
        for each in threads:
            each.start()
        time.sleep(self._random.uniform(0.05, 1.5))
        self._kill()
        for each in threads:
            each.join()
        answered = {name: number for writer in writers for name, number in writer.answered.items()}
        return answered, sum(writer.writes for writer in writers)

    def _kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def _objects(self) -> Document:
        listed = ((path, each) for path in KINDS for each in self.client.ask("GET", path)["items"])
        return {f"{path} {each['metadata']['uid']}": each for path, each in listed}

    def _lost_objects(self, expected: Document) -> int:
        """Counts the objects that are not as they were."""
        found = self._objects()
        return sum(found.get(key) != each for key, each in expected.items()) + len(found.keys() - expected.keys())

    def _lost_writes(self, expected: Document) -> int:
        """Counts the config maps that are older than the last answer was; newer ones were written, but not answered."""
        items = self.client.ask("GET", MAPS)["items"]
        found = {each["metadata"]["name"]: int((each.get("data") or {}).get("number", -1)) for each in items}
        return sum(found.get(name, -1) < number for name, number in expected.items())

    def stop(self) -> None:
        """Ends the server."""
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=30)


def a_mixed_deployment() -> Document:
    """Returns pods whose containers differ: an init container, one that ends again and again, one that is not alive."""
    labels, probe = {"app": "mixed"}, {"httpGet": {"port": 80}, "periodSeconds": 10}
    spec = {
        "initContainers": [{"name": "init", "image": "busybox", "command": ["sleep", "20"]}],
        "containers": [
            {"name": "ends", "image": "busybox", "command": ["sh", "-c", "sleep 700; exit 1"]},
            {"name": "fails", "image": "nginx", "livenessProbe": probe, "readinessProbe": probe},
        ],
    }
    metadata = {"labels": labels, "annotations": {"wavetank.dev/liveness": "fail after 30m"}}
    template = {"metadata": metadata, "spec": spec}
    return {
        "metadata": {"name": "mixed"},
        "spec": {"replicas": 5, "selector": {"matchLabels": labels}, "template": template},
    }


def soak(hours: int, every: int, seed: int, state: Path) -> list[Restart]:
    """Serves for so many simulated hours with a restart in each `every` of them, and returns the restarts."""
    made: list[Restart] = []
    with tempfile.TemporaryDirectory() as folder:
        server = RestartedServer(folder, state, seed)
        churn = Churn(server.client, seed)
        try:
            churn.begin()
            server.client.ask("POST", "/apis/apps/v1/namespaces/default/deployments", a_mixed_deployment())
            for hour in range(1, hours + 1):
                churn.hour()
                if hour % every == 0:
                    made.append(server.restart(hour, busy=len(made) % 2 == 1))
                    print(json.dumps(asdict(made[-1])), flush=True)
        finally:
            server.stop()
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weeks", type=float, default=4)
    parser.add_argument("--every", type=int, default=24, help="simulated hours between two restarts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as state:
        restarts = soak(round(options.weeks * 168), options.every, options.seed, Path(state))
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in restarts], indent=1) + "\n")
    lost, largest = sum(each.lost for each in restarts), max(each.state_mb for each in restarts)
    checked, writes = (sum(getattr(each, name) for each in restarts) for name in ("checked", "writes"))
    print(f"{len(restarts)} restarts, {checked} objects and {writes} writes, {lost} lost, at most {largest:.1f} MB")
    sys.exit(bool(lost) or largest > MOST_MB)


if __name__ == "__main__":
    main()
