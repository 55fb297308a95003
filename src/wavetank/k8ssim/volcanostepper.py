from __future__ import annotations

from collections import defaultdict
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from wavetank.cluster.manifests import read_text
from wavetank.cluster.objects.groupkinds import VOLCANO_JOB
from wavetank.cluster.releases import NEWEST
from wavetank.cluster.rules.admission import admit
from wavetank.controllers.volcanojobs.spec import read_job
from wavetank.k8ssim.cluster import K8sSimCluster
from wavetank.k8ssim.info import (
    Document,
    clock_text,
    job_document,
    node_book,
    node_document,
    pod_document,
    used_by_node,
)
from wavetank.kernel.durations import SECOND
from wavetank.nodes.k8ssim.kubelets import K8sSimKubelets
from wavetank.results.recording.k8ssimtasks import TaskRow
from wavetank.results.write.k8ssim import write_k8ssim
from wavetank.scheduling.named.volcano import VOLCANO_TEXTS, volcano_of_k8ssim
from wavetank.scheduling.volcano.config.conf import VolcanoConf, parse_conf
from wavetank.scheduling.volcano.scheduler import VolcanoScheduler
from wavetank.simulation.k8ssimjobs import JobStarter


class VolcanoStepper:
    """K8sSim's simulation of Volcano: a session every second, on K8sSim's nodes.

    Every `period` seconds, or only at the start with -1, it waits for a configuration. So the state between two steps
    is that of an instant before its session.
    """

    def __init__(self, nodes: str, workload: str, period: int = -1, seed: int = 1) -> None:
        self._cluster = cluster = K8sSimCluster(nodes, workload, NEWEST, seed)
        self._period = period
        self._scheduler: VolcanoScheduler | None = None
        self._stopped = False
        self._ended = False
        K8sSimKubelets(cluster.world.context, keep_finished=True)
        JobStarter(cluster.world.context, partial(admit, store=cluster.store))
        cluster.load()
        cluster.submit(frozenset({VOLCANO_JOB}))
        cluster.clock.run_events(0)

    @staticmethod
    def read_conf(conf: str | Path) -> VolcanoConf:
        """Reads the name of one of K8sSim's algorithms, a file, or a YAML text."""
        if isinstance(conf, str) and conf.strip() in VOLCANO_TEXTS:
            return parse_conf(VOLCANO_TEXTS[conf.strip()])
        return parse_conf(conf if isinstance(conf, str) and "\n" in conf else read_text(Path(conf)))

    @property
    def done(self) -> bool:
        """Tells whether all tasks were submitted and have ended."""
        return self._cluster.is_done

    def step(self, conf: VolcanoConf, lock: AbstractContextManager[object]) -> None:
        """Schedules by a configuration until the next one is due; `lock` is held during changes."""
        with lock:
            self._configure(conf)
        clock, due = self._cluster.clock, self._next_due()
        while not self.done and not self._stopped and clock.now != due:
            with lock:
                second = self._next_second(due)
                if second is None:
                    break  # nothing can change any more
                clock.run_events(second) if second == due else clock.run(second)
        self._ended = self.done or due is None

    def stop(self) -> None:
        """Ends a step after its current second."""
        self._stopped = True

    def _configure(self, conf: VolcanoConf) -> None:
        cluster = self._cluster
        if self._scheduler is None:
            definition = volcano_of_k8ssim("k8ssim", "Volcano", conf)
            self._scheduler = definition.attach(cluster.world.context)
        else:
            self._scheduler.configure(conf)

    def _next_due(self) -> int | None:
        """Returns when the next configuration is due: at the end of the period, None if never."""
        if self._period == -1:
            return None
        period = self._period * SECOND
        return (self._cluster.clock.now // period + 1) * period

    def _next_second(self, due: int | None) -> int | None:
        """Returns the next second with an event or a configuration; None if there is none."""
        clock = self._cluster.clock
        upcoming = clock.next_due() if clock.foreground else None
        if upcoming is None:
            return due
        second = -(-upcoming // SECOND) * SECOND
        return second if due is None else min(second, due)

    # states

    def first_state(self) -> Document:
        """Returns the answer to a reset: the empty nodes."""
        nodes = [node_document(node, {}) for node in self._cluster.node_list()]
        cache = {"Jobs": None, "Nodes": None, "NotCompletion": False}
        return {**cache, "done": False, "nodes": nodes, "pods": None, "clock": clock_text(0)}

    def state(self) -> Document:
        """Returns the state as K8sSim's server sends it after a step."""
        rows = list(self._cluster.ledger.rows.values())
        used = used_by_node(rows)
        nodes = [node_document(node, used[node.name]) for node in self._cluster.node_list()]
        # K8sSim's clock is a second ahead when its loop finds that all is done
        now = self._cluster.clock.now + (SECOND if self._ended else 0)
        pods = [pod_document(row) for row in rows]
        return {**self.books(), "done": self.done, "nodes": nodes, "pods": pods, "clock": clock_text(now)}

    def books(self) -> Document:
        """Returns the jobs and nodes as in Volcano's cache."""
        rows = list(self._cluster.ledger.rows.values())
        jobs: defaultdict[tuple[str, str], list[TaskRow]] = defaultdict(list)
        for row in rows:
            jobs[row.pod.namespace, row.group].append(row)
        found = {
            f"{key[0]}/{key[1]}": job_document(key[1], jobs[key], self._min_available(*key)) for key in sorted(jobs)
        }
        used = used_by_node(rows)
        nodes = {node.name: node_book(node, used[node.name]) for node in self._cluster.node_list()}
        return {"Jobs": found, "Nodes": nodes, "NotCompletion": not self.done}

    def _min_available(self, namespace: str, name: str) -> int:
        job = self._cluster.store.find(VOLCANO_JOB, namespace, name)
        return read_job(job.manifest).min_available if job is not None else 1

    def write_results(self, folder: Path) -> None:
        """Writes the tables of K8sSim's client."""
        folder.mkdir(parents=True, exist_ok=True)
        write_k8ssim(self._cluster.ledger.rows.values(), folder)
