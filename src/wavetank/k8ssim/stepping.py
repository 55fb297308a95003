from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from wavetank.cluster.manifests import read_text
from wavetank.cluster.releases import NEWEST, Version
from wavetank.errors import InputError
from wavetank.k8ssim.cluster import only_document
from wavetank.k8ssim.info import Document
from wavetank.k8ssim.kubernetesstepper import KubernetesStepper
from wavetank.k8ssim.volcanostepper import VolcanoStepper
from wavetank.scheduling.volcano.config.conf import VolcanoConf


class K8sSim:
    """K8sSim's simulation, step by step, with an algorithm chosen for each step.

    A workload of Volcano Jobs (`jobs:`) is scheduled by Volcano: a step takes one of its algorithms, by name
    ("GANG_LRP"), or a volcano-scheduler.conf, and runs for `period` seconds, or to the end with -1. A workload that
    is a list of {pod, startTime} is scheduled by kube-scheduler: a step takes K8sSim's number of an algorithm (1 EP,
    2 LRP, 3 MRP, 4 BRA, 5 RLP, 6 TTP, 7 NAP, 8 NPAPP, 9 ILP, 10 NLP, 11 IPAP) and takes one tick. `compat` makes that
    scheduler decide as K8sSim's own does (Kubernetes 1.14).

    >>> sim = wavetank.K8sSim()  # doctest: +SKIP
    >>> sim.reset("nodes_7-0.yaml", "wsl_test_mrp-2.yaml")  # doctest: +SKIP
    >>> state = sim.step("GANG_LRP")  # doctest: +SKIP
    >>> state["done"], state["clock"]  # doctest: +SKIP
    """

    def __init__(self, *, compat: bool = False, version: Version = NEWEST, seed: int = 1) -> None:
        self._compat = compat
        self._version = version
        self._seed = seed
        self._stepper: KubernetesStepper | VolcanoStepper | None = None
        self._lock = threading.Lock()

    def reset(self, nodes: str | Path, workload: str | Path, period: int = -1) -> Document:
        """Starts a new simulation and returns its state; both arguments are files, or YAML texts with line breaks."""
        cluster, jobs = _text(nodes), _text(workload)
        if isinstance(only_document(jobs, "workload"), Mapping):
            stepper: KubernetesStepper | VolcanoStepper = VolcanoStepper(cluster, jobs, period, self._seed)
        else:
            stepper = KubernetesStepper(cluster, jobs, self._compat, self._version, self._seed)
        self._stepper = stepper
        return stepper.first_state() if isinstance(stepper, VolcanoStepper) else stepper.state()

    def step(self, action: int | str | Path | VolcanoConf) -> Document:
        """Schedules by an algorithm until the next step is due, and returns the state then."""
        stepper = self._started()
        if isinstance(stepper, KubernetesStepper):
            if isinstance(action, bool) or not isinstance(action, int):
                raise InputError(f"expected the number of an algorithm, got {action!r:.60}", path="action")
            return stepper.step(action)
        if isinstance(action, int):
            raise InputError(f"expected the name of an algorithm or a configuration, got {action!r:.60}", path="conf")
        stepper.step(action if isinstance(action, VolcanoConf) else self.read_conf(action), self._lock)
        return stepper.state()

    def read_conf(self, conf: str | Path) -> VolcanoConf:
        """Reads the configuration of a step with Volcano: the name of an algorithm, a file, or a YAML text."""
        return VolcanoStepper.read_conf(conf)

    def state(self) -> Document:
        """Returns the state as K8sSim's servers send it."""
        return self._started().state()

    def books(self) -> Document:
        """Returns the jobs and nodes as in Volcano's cache."""
        stepper = self._started()
        return stepper.books() if isinstance(stepper, VolcanoStepper) else stepper.state()

    @property
    def done(self) -> bool:
        """Tells whether all pods were submitted and have ended."""
        return self._started().done

    @property
    def has_jobs(self) -> bool:
        """Tells whether the workload has Volcano Jobs."""
        return isinstance(self._started(), VolcanoStepper)

    def write_results(self, folder: str | Path) -> None:
        """Writes tasksSUM.csv and coutJCT.csv, as K8sSim's client does."""
        self._started().write_results(Path(folder))

    def stop(self) -> None:
        """Ends a step of another thread after its current second."""
        stepper = self._started()
        if isinstance(stepper, VolcanoStepper):
            stepper.stop()

    @contextmanager
    def pausing(self) -> Iterator[K8sSim]:
        """Pauses a step of another thread."""
        with self._lock:
            yield self

    def _started(self) -> KubernetesStepper | VolcanoStepper:
        if self._stepper is None:
            raise InputError("no simulation: start one with reset")
        return self._stepper


def _text(given: str | Path) -> str:
    return given if isinstance(given, str) and "\n" in given else read_text(Path(given))
