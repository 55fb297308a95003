from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from wavetank.cluster.objects.groupkinds import NODE
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.node import Node
from wavetank.cluster.rules.admission import admit
from wavetank.cluster.store.store import Store
from wavetank.errors import InputError
from wavetank.kernel.clock import Clock
from wavetank.kernel.randomness import Streams
from wavetank.results.recording.k8ssimtasks import TaskLedger
from wavetank.simulation.submitter import Submitter
from wavetank.workloads.formats.k8ssim import K8sSimWorkload, is_k8ssim, read_k8ssim_nodes
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.workload import object_arrivals


class K8sSimCluster:
    """A cluster of K8sSim's nodes, and its workload as it is submitted; who schedules and who runs pods is added to it.

    `nodes` and `workload` are YAML texts as K8sSim reads them.
    """

    def __init__(self, nodes: str, workload: str, seed: int) -> None:
        self.clock = Clock()
        self.streams = Streams(seed)
        self.store = Store(self.clock)
        self.ledger = TaskLedger(self.store)
        self._nodes = read_k8ssim_nodes(_file(nodes, "nodes"))
        self._workload = K8sSimWorkload(_file(workload, "workload"))
        self._submitter: Submitter | None = None

    def plant(self) -> None:
        """Creates the nodes; those who watch them are there already."""
        for manifest in self._nodes:
            self.store.create(parse_resource(manifest, self.store.specs))

    def submit(self, kinds: frozenset[str] = frozenset()) -> None:
        """Lets the workload come at its times; objects of these kinds as such."""
        arrivals = object_arrivals(self._workload, self.store.specs, self.streams, kinds)
        self._submitter = Submitter(self.store, arrivals, partial(admit, store=self.store))

    @property
    def is_done(self) -> bool:
        """Tells whether all pods have come and ended."""
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
