from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wavetank.cluster.objects.groupkinds import NODE, GroupKind
from wavetank.cluster.objects.node import Node
from wavetank.cluster.releases import Version
from wavetank.errors import InputError
from wavetank.results.recording.k8ssimtasks import TaskLedger
from wavetank.simulation.creation.submitter import Submitter
from wavetank.simulation.world import World
from wavetank.workloads.formats.k8ssim import K8sSimWorkload, is_k8ssim, read_k8ssim_nodes
from wavetank.workloads.inputfile import InputFile


class K8sSimCluster:
    """A World with K8sSim's nodes and workload; its kubelets and schedulers are attached to it.

    `nodes` and `workload` are YAML texts as K8sSim reads them.
    """

    def __init__(self, nodes: str, workload: str, version: Version, seed: int) -> None:
        self.world = World(version, seed)
        self.clock, self.store = self.world.clock, self.world.store
        self.ledger = TaskLedger()
        self.ledger.join(self.world.context)
        self._nodes = read_k8ssim_nodes(_file(nodes, "nodes"))
        self._workload = K8sSimWorkload(_file(workload, "workload"))
        self._submitter: Submitter | None = None

    def load(self) -> None:
        """Creates the nodes, once the kubelets are attached."""
        self.world.create(self._nodes)

    def submit(self, kinds: frozenset[GroupKind] = frozenset()) -> None:
        """Submits the workload over time; owners of these kinds are created themselves."""
        self._submitter = self.world.submit(self._workload, kinds)

    @property
    def is_done(self) -> bool:
        """Tells whether all pods were submitted and have ended."""
        assert self._submitter is not None
        return self._submitter.is_done and not self.ledger.unfinished

    def node_list(self) -> list[Node]:
        """Returns the nodes."""
        return [node for node in self.store.list(NODE) if isinstance(node, Node)]


def _file(text: str, name: str) -> InputFile:
    file = InputFile(Path(name), text)
    if not is_k8ssim(file):
        expected = "`cluster:` with nodes" if name == "nodes" else "`jobs:`, or a list of {pod, startTime}"
        raise InputError(f"expected K8sSim's {name}: {expected}", path=name)
    return file


def only_document(text: str, name: str) -> Mapping[str, Any] | list[Any]:
    """Returns the document of a YAML text."""
    documents = InputFile(Path(name), text).documents
    if len(documents) != 1 or not isinstance(documents[0], Mapping | list):
        raise InputError("expected one YAML document", path=name)
    found: Mapping[str, Any] | list[Any] = documents[0]
    return found
