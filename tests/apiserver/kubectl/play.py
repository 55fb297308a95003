"""Gives a simulated cluster the recorded commands, with the real kubectl, and says what differed."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.apiserver.kubectl.bridges import FILES, FORGETFUL, bridges
from tests.apiserver.kubectl.normalising import agree, requests_of, text_of
from tests.apiserver.kubectl.proxy import Proxy
from tests.apiserver.kubectl.recorded import Command, commands, write_manifests

_SETTLING_S, _LONGEST_S = 0.2, 20.0  # without a write: then the cluster has reacted; a busy machine takes longer
_WRITES = re.compile(r"\b(apply|create|delete|set|edit|drain|taint|cordon|uncordon|scale|patch|run|expose|rollout)\b")
_EDITOR = "sed -i -e 's/progressDeadlineSeconds: 600/progressDeadlineSeconds: 500/' -e 's/color: red/color: blue/'"


@dataclass(frozen=True)
class Difference:
    """What one command did otherwise than it was recorded: exit, out, err, reads or writes, wanted and found."""

    command: Command
    what: str
    wanted: object
    found: object


class CommandReplay:
    """A terminal with kubectl in a folder of its own, behind a proxy that sees its requests."""

    def __init__(self, version: str, binary: Path, proxy: Proxy, folder: Path) -> None:
        self.version, self._binary, self._proxy, self._folder = version, binary, proxy, folder
        self._home = folder / "home"
        self._home.mkdir()
        config = folder / "kubeconfig"
        config.write_text(_KUBECONFIG.format(server=f"http://127.0.0.1:{proxy.server_port}"))
        self._environment = {
            "HOME": str(self._home),
            "PATH": os.environ["PATH"],
            "KUBECONFIG": str(config),
            "KUBE_EDITOR": _EDITOR,
            "TZ": "UTC",
        }

    def play(self) -> list[Difference]:
        """Gives all commands in order; returns what differed."""
        given, between = commands(self.version), bridges(self.version)
        write_manifests(given, self._folder)
        for name, text in FILES.items():
            (self._folder / name).write_text(text)
        differences: list[Difference] = []
        for command in given:
            if command.number in FORGETFUL:
                self._forget()
            for bridge in between.get(command.number, ()):
                self._run(bridge)
                self._settle()
            differences += self._compare(command)
        return differences

    def _compare(self, command: Command) -> list[Difference]:
        if command.cold:
            self._forget()
        self._proxy.taken()
        done = self._run(shlex.split(command.line.replace("WORKDIR", str(self._folder)))[1:])
        if _WRITES.search(command.line):
            self._settle()
        reads, writes = requests_of(self._proxy.taken())
        wanted_reads, wanted_writes = requests_of(command.requests)
        where = str(self._folder)
        pairs = {
            "exit": (command.status, done.returncode),
            "out": (text_of(command.out), text_of(done.stdout, where)),
            "err": (text_of(command.err), text_of(done.stderr, where)),
            "reads": (wanted_reads, reads),
            "writes": (wanted_writes, writes),
        }
        return [Difference(command, what, *pair) for what, pair in pairs.items() if not _same(*pair)]

    def _settle(self) -> None:
        """Waits until nothing is written any more."""
        before, end = "", time.monotonic() + _LONGEST_S
        while before != (now := self._proxy.version()) and time.monotonic() < end:
            before = now
            time.sleep(_SETTLING_S)

    def _forget(self) -> None:
        """Empties kubectl's cache of discovery."""
        shutil.rmtree(self._home / ".kube", ignore_errors=True)

    def _run(self, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self._binary), *words],
            cwd=self._folder,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=120,
        )


def _same(wanted: object, found: object) -> bool:
    return agree(wanted, found) if isinstance(wanted, list) and isinstance(found, list) else wanted == found


_KUBECONFIG = """
apiVersion: v1
kind: Config
current-context: c
clusters: [{{name: c, cluster: {{server: "{server}"}}}}]
contexts: [{{name: c, context: {{cluster: c, user: admin, namespace: demo}}}}]
users: [{{name: admin, user: {{}}}}]
"""
