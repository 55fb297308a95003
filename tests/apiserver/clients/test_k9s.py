"""k9s in a terminal of its own."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.apiserver.clients.programs import go_install, needs_builds
from tests.apiserver.serving import Served, a_small_pod
from tests.support.waiting import PATIENCE_S

pytestmark = needs_builds

PODS = "/api/v1/namespaces/default/pods"
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[()][AB0]|\x1b[=>]")


class Terminal:
    """A terminal of 40 lines and 160 columns with one program in it."""

    def __init__(self, master: int) -> None:
        self._master = master
        self._shown = ""

    def wait_for(self, text: str) -> None:
        """Reads until a text has been written since the last key; lines may be drawn cell by cell."""
        end = time.monotonic() + PATIENCE_S
        while text not in _ESCAPES.sub("", self._shown):
            assert time.monotonic() < end, f"no {text!r} in {_ESCAPES.sub('', self._shown)[-3000:]}"
            if select.select([self._master], [], [], 1)[0]:
                self._shown += os.read(self._master, 65536).decode(errors="replace")

    def press(self, keys: str) -> None:
        """Types keys, and forgets what was written before."""
        self._shown = ""
        os.write(self._master, keys.encode())


def _own() -> None:
    """Makes standard input the terminal of the new process, which opens /dev/tty."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@contextmanager
def running(command: list[str], environment: dict[str, str]) -> Iterator[Terminal]:
    """Runs a program in a terminal until the block ends."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 160, 0, 0))
    process = subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True, preexec_fn=_own
    )
    os.close(slave)
    try:
        yield Terminal(master)
    finally:
        process.kill()
        process.wait()
        os.close(master)


def test_pods_and_nodes_are_listed(served: Served, tmp_path: Path) -> None:
    assert served.ask("POST", PODS, a_small_pod("lantern")).status == 201
    binary = go_install("github.com/derailed/k9s", "v0.50.9")
    environment = {**os.environ, "HOME": str(tmp_path), "TERM": "xterm-256color", "LANG": "C.UTF-8"}
    command = [str(binary), "--kubeconfig", str(served.kubeconfig), "--command", "pods", "--namespace", "default"]
    with running(command, environment) as terminal:
        terminal.wait_for("lantern")
        terminal.wait_for("Running")
        terminal.press(":nodes\r")
        terminal.wait_for("n2")
    served.ask("DELETE", f"{PODS}/lantern")
