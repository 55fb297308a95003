"""Starts a real control plane on loopback, with certificates and a token of its own, and ends it for certain."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.controlplane.programs import find_programs
from tests.support.waiting import eventually
from wavetank.apiserver.http.kubeconfig import Access, write_kubeconfig
from wavetank.apiserver.http.tls import Authority

TOKEN = "of-a-test"
CONTEXT = "wavetank"
_STOP_S = 10


class ControlPlane:
    """etcd, kube-apiserver, kube-controller-manager and kube-scheduler, each a process; logs are in `folder`.

    `authorization` is the API server's authorization mode.
    """

    def __init__(self, folder: Path, authorization: str = "AlwaysAllow") -> None:
        self.folder = folder
        self._authorization = authorization
        self.kubeconfig = folder / "kubeconfig"
        self._programs = find_programs()
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        authority = Authority()
        self._authority = folder / "authority.pem"
        self._authority.write_bytes(authority.certificate)
        self._certificate = authority.issue(folder)
        self._etcd_port, self._peer_port, self._port = _free_ports(3)
        (folder / "tokens.csv").write_text(f"{TOKEN},admin,admin,system:masters\n")
        self.url = f"https://127.0.0.1:{self._port}"
        self.etcd_url = f"http://127.0.0.1:{self._etcd_port}"
        write_kubeconfig(self.kubeconfig, Access(self.url, TOKEN, authority.certificate))

    def start(self) -> None:
        """Starts all programs, and waits until the API server is ready."""
        self.start_bare()
        common = [f"--kubeconfig={self.kubeconfig}", "--leader-elect=false"]
        self._run(
            "kube-controller-manager",
            *common,
            "--secure-port=0",
            "--use-service-account-credentials=false",
            f"--service-account-private-key-file={self._certificate.key}",
            f"--root-ca-file={self._authority}",
        )
        self._run("kube-scheduler", *common, "--secure-port=0")

    def start_bare(self, *options: str) -> None:
        """Starts etcd and the API server, with further options, and waits until it is ready."""
        client, peer = (f"http://127.0.0.1:{port}" for port in (self._etcd_port, self._peer_port))
        self._run(
            "etcd",
            *("--data-dir", str(self.folder / "etcd")),
            *("--unsafe-no-fsync",),
            *("--listen-client-urls", client, "--advertise-client-urls", client),
            *(
                "--listen-peer-urls",
                peer,
                "--initial-advertise-peer-urls",
                peer,
                "--initial-cluster",
                f"default={peer}",
            ),
        )
        self.start_apiserver(*options)

    def start_apiserver(self, *options: str) -> None:
        """Starts the API server, on the same port as before, and waits until it is ready."""
        self._run(
            "kube-apiserver",
            f"--etcd-servers=http://127.0.0.1:{self._etcd_port}",
            f"--secure-port={self._port}",
            "--bind-address=127.0.0.1",
            f"--tls-cert-file={self._certificate.certificate}",
            f"--tls-private-key-file={self._certificate.key}",
            "--service-cluster-ip-range=10.0.0.0/24",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={self._certificate.certificate}",
            f"--service-account-signing-key-file={self._certificate.key}",
            f"--token-auth-file={self.folder / 'tokens.csv'}",
            f"--authorization-mode={self._authorization}",
            *options,
        )
        eventually(self._is_ready, lambda: self._log("kube-apiserver"))

    def kill(self, name: str) -> None:
        """Ends a program at once, as a crash does."""
        process = self._processes.pop(name)
        process.kill()
        process.wait()

    def stop(self) -> None:
        """Ends all programs, the API server's clients first."""
        for name in reversed(list(self._processes)):
            process = self._processes.pop(name)
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(_STOP_S)
            process.kill()
            process.wait()

    def _run(self, name: str, *arguments: str) -> None:
        # the kernel ends the program even if the test's own process is killed
        guard = [setpriv, "--pdeathsig", "KILL"] if (setpriv := shutil.which("setpriv")) else []
        with (self.folder / f"{name}.log").open("ab") as log:
            command: Sequence[str] = [*guard, str(self._programs[name]), *arguments]
            self._processes[name] = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder)

    def _is_ready(self) -> bool:
        ended = [name for name, process in self._processes.items() if process.poll() is not None]
        assert not ended, f"{ended[0]} has ended: {self._log(ended[0])}"
        trusted = ssl.create_default_context(cafile=str(self._authority))
        request = urllib.request.Request(f"{self.url}/readyz", headers={"Authorization": f"Bearer {TOKEN}"})
        try:
            with urllib.request.urlopen(request, context=trusted, timeout=5) as answer:
                return bool(answer.status == 200)
        except urllib.error.HTTPError as error:
            error.close()
            return False
        except OSError:
            return False

    def _log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")[-2000:]


@contextmanager
def control_plane(folder: Path) -> Iterator[ControlPlane]:
    """Yields a running control plane; skips the test where its programs are missing."""
    made = ControlPlane(folder)
    try:
        made.start()
        yield made
    finally:
        made.stop()


def _free_ports(count: int) -> list[int]:
    """Returns ports that are free at the moment: these programs cannot choose one themselves."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in sockets]
    finally:
        for each in sockets:
            each.close()
