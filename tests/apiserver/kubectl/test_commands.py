"""The recorded commands of two kubectl, given to a simulated cluster with everything that acts in it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.apiserver.clients.gobuild import kubectl_binary
from tests.apiserver.kubectl.play import CommandReplay, Difference
from tests.apiserver.kubectl.proxy import proxy_to
from tests.apiserver.kubectl.recorded import commands
from tests.apiserver.serving import TOKEN, serving

OPTIONS = ("--admission", "full", "--authorization", "rbac", "--metrics", "off")

_NODE = """
apiVersion: v1
kind: Node
metadata:
  name: {name}
  labels:
    beta.kubernetes.io/arch: amd64
    beta.kubernetes.io/os: linux
    kubernetes.io/arch: amd64
    kubernetes.io/hostname: {name}
    kubernetes.io/os: linux
    topology.kubernetes.io/zone: {zone}
status:
  capacity: &resources {{cpu: "8", memory: 16Gi, pods: "110", ephemeral-storage: 100Gi}}
  allocatable: *resources
  addresses: [{{type: InternalIP, address: 127.0.0.1}}, {{type: Hostname, address: {name}}}]
  nodeInfo:
    machineID: m
    systemUUID: s
    bootID: b
    kernelVersion: 6.1.0
    osImage: Debian GNU/Linux 12
    operatingSystem: linux
    architecture: amd64
    containerRuntimeVersion: containerd://2.0.0
    kubeletVersion: v1.35.8
    kubeProxyVersion: ""
"""
# docs/api-compatibility.md says why.
KNOWN: dict[str, set[int]] = {"v1.35.8": {184, 186}, "v1.32.4": {184, 186}}
NODES = "---".join(_NODE.format(name=name, zone=zone) for name, zone in (("n1", "z0"), ("n2", "z1"), ("n3", "z0")))


DEBIAN = Path("/usr/bin/kubectl")


@pytest.mark.parametrize("version", ["v1.35.8", "v1.32.4"])
def test_every_command_agrees_or_is_a_known_difference(version: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    if not commands(version):
        pytest.skip("no recordings: set WAVETANK_SHARED to the folder that has data/")
    binary = binary_of(version)
    differences = played(version, binary, tmp_path_factory.mktemp("first"))
    for _ in range(2):  # what does not differ each time was a race, on a busy machine
        if not differences.keys() <= KNOWN[version]:
            again = played(version, binary, tmp_path_factory.mktemp("again"))
            differences = {number: again[number] for number in differences.keys() & again.keys()}
    for each in differences.keys() - KNOWN[version]:
        print(differences[each])
    assert differences.keys() <= KNOWN[version], differences


def played(version: str, binary: Path, folder: Path) -> dict[int, list[Difference]]:
    """Gives all commands to a new cluster; returns what differed, by the number of the command."""
    (folder / "nodes.yaml").write_text(NODES)
    with (
        serving(folder, "--cluster", "nodes.yaml", *OPTIONS) as server,
        proxy_to(server.host, server.port, TOKEN) as proxy,
    ):
        found = CommandReplay(version, binary, proxy, folder).play()
    return {each.command.number: [other for other in found if other.command is each.command] for each in found}


def binary_of(version: str) -> Path:
    """Returns a kubectl; skips where there is none of that version."""
    if version == "v1.35.8":
        return kubectl_binary()
    if not os.environ.get("WAVETANK_ALL"):
        pytest.skip("takes two minutes: make test-all")
    told = subprocess.run([DEBIAN, "version", "--client"], capture_output=True, text=True) if DEBIAN.exists() else None
    if told is None or version not in told.stdout:
        pytest.skip(f"there is no kubectl {version} of Debian's")
    return DEBIAN
