"""`wavetank serve --state`: what was answered is there when the server was killed and is started again."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.apiserver.serving import Served, serving
from tests.state.kept import MAPS
from tests.support.waiting import eventually

WRITERS = 4


class Writer(threading.Thread):
    """Writes config maps of its own, one after the other, until the server is gone; `acknowledged` is what it knows."""

    def __init__(self, served: Served, number: int) -> None:
        super().__init__(daemon=True)
        self.acknowledged: dict[str, int] = {}
        self._served, self._number = served, number

    def run(self) -> None:
        connection = http.client.HTTPConnection(self._served.host, self._served.port)
        try:
            for turn in range(100_000):
                self._write(connection, f"w{self._number}-{turn % 10}", turn)
        except (OSError, http.client.HTTPException):
            return
        finally:
            connection.close()

    def _write(self, connection: http.client.HTTPConnection, name: str, turn: int) -> None:
        known = name in self.acknowledged
        body = json.dumps({"metadata": {"name": name}, "data": {"turn": str(turn)}})
        headers = {**self._served.auth, "Content-Type": "application/merge-patch+json" if known else "application/json"}
        connection.request("PATCH" if known else "POST", f"{MAPS}/{name}" if known else MAPS, body, headers)
        answer = connection.getresponse()
        answer.read()
        assert answer.status in (200, 201)
        self.acknowledged[name] = turn


def have_written(writers: list[Writer], most: int) -> bool:
    return sum(max(each.acknowledged.values(), default=0) for each in writers) > most


@contextmanager
def killed_at_the_end(folder: Path, *options: str) -> Iterator[Served]:
    with serving(folder, *options, ends=-9) as served:
        yield served
        served.process.kill()
        served.process.wait()


def test_nothing_that_was_answered_is_lost_when_a_server_is_killed(tmp_path: Path) -> None:
    options = ("--bare", "--http", "--state", "state")
    known: dict[str, int] = {}
    for round_ in range(2):
        with killed_at_the_end(tmp_path, *options) as served:
            found = {
                each["metadata"]["name"]: int(each["data"]["turn"]) for each in served.ask("GET", MAPS).json["items"]
            }
            assert all(found[name] >= turn for name, turn in known.items())
            writers = [Writer(served, round_ * WRITERS + number) for number in range(WRITERS)]
            for writer in writers:
                writer.start()
            eventually(partial(have_written, writers, 200))
        for writer in writers:
            writer.join()
            known |= writer.acknowledged


def test_a_server_goes_on_at_its_time_and_no_other_may_use_its_folder(tmp_path: Path) -> None:
    options = ("--bare", "--paused", "--state", "state")
    with killed_at_the_end(tmp_path, *options) as served:
        time = served.ask("POST", "/wavetank/clock/advance?by=5h").json["time"]
        command = [sys.executable, "-m", "wavetank", "serve", "--port", "0", *options]
        second = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert second.returncode == 2
        assert f"state: is used by another server (process {served.process.pid}, since 2" in second.stderr
    with serving(tmp_path, *options) as served:
        assert served.ask("GET", "/wavetank/clock").json["time"] == time
        served.process.terminate()
        assert served.process.stderr is not None
        assert f"objects of state, at {time}" in served.process.stderr.read()
