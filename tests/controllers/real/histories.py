"""Random lives of workloads: what users do to them, and when, in virtual seconds after one another."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.controllers.real.clusters import Cluster
from wavetank.workloads.manifests.behavior import DURATION, EXIT_CODE

Document = dict[str, Any]

APPS, BATCH = "/apis/apps/v1/namespaces/default", "/apis/batch/v1/namespaces/default"
PODS = "/api/v1/namespaces/default/pods"


@dataclass(frozen=True)
class Step:
    """Something is done after so many seconds; `told` says what, for the message of a failed test."""

    after: float
    told: str
    act: Callable[[Cluster], object]


def play(history: list[Step], cluster: Cluster, settling: float = 900) -> None:
    """Lets a history happen, and then everything come to rest."""
    for step in history:
        cluster.run_for(step.after)
        step.act(cluster)
    cluster.run_for(settling)


class Author:
    """Writes histories of one seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def deployment(self) -> list[Step]:
        """Returns the life of a Deployment."""
        draw = self._random
        spec: Document = {
            "replicas": draw.randrange(6),
            "selector": {"matchLabels": {"app": "web"}},
            "template": self._template("web", grace=draw.choice([0, 1, 30])),
            "revisionHistoryLimit": draw.choice([0, 1, 10]),
            "minReadySeconds": draw.choice([0, 0, 0, 5]),
        }
        if draw.random() < 0.3:
            spec["strategy"] = {"type": "Recreate"}
        elif draw.random() < 0.5:
            rolling = {"maxSurge": draw.choice([0, 1, "50%"]), "maxUnavailable": draw.choice([1, 2, "25%"])}
            spec["strategy"] = {"type": "RollingUpdate", "rollingUpdate": rolling}
        path = f"{APPS}/deployments/web"
        deeds = [
            self._scale,
            self._scale,
            self._new_image,
            self._new_image,
            self._paused,
            self._lost_pod,
            self._label_of_template,
            self._history_limit,
        ]
        return self._life(path, "apps/v1", "Deployment", "web", spec, deeds)

    def replication_controller(self) -> list[Step]:
        """Returns the life of a ReplicationController."""
        draw = self._random
        spec: Document = {
            "replicas": draw.randrange(6),
            "template": self._template("web", grace=draw.choice([0, 1, 30])),
            "minReadySeconds": draw.choice([0, 0, 0, 5]),
        }
        if draw.random() < 0.5:
            spec["selector"] = {"app": "web"}
        path = "/api/v1/namespaces/default/replicationcontrollers/web"
        deeds = [self._scale, self._scale, self._new_image, self._lost_pod, self._label_of_template]
        return self._life(path, "v1", "ReplicationController", "web", spec, deeds)

    def stateful_set(self) -> list[Step]:
        """Returns the life of a StatefulSet."""
        draw = self._random
        spec: Document = {
            "replicas": draw.randrange(5),
            "serviceName": "db",
            "selector": {"matchLabels": {"app": "db"}},
            "template": self._template("db", grace=draw.choice([0, 1, 10])),
            "podManagementPolicy": draw.choice(["OrderedReady", "OrderedReady", "Parallel"]),
            "revisionHistoryLimit": draw.choice([0, 1, 10]),
        }
        choice = draw.random()
        if choice < 0.2:
            spec["updateStrategy"] = {"type": "OnDelete"}
        elif choice < 0.4:
            spec["updateStrategy"] = {"type": "RollingUpdate", "rollingUpdate": {"partition": draw.randrange(4)}}
        if draw.random() < 0.3:
            spec["ordinals"] = {"start": draw.randrange(3)}
        path = f"{APPS}/statefulsets/db"
        deeds = [self._scale, self._scale, self._new_image, self._new_image, self._lost_pod]
        return self._life(path, "apps/v1", "StatefulSet", "db", spec, deeds)

    def daemon_set(self) -> list[Step]:
        """Returns the life of a DaemonSet."""
        draw = self._random
        spec: Document = {
            "selector": {"matchLabels": {"app": "agent"}},
            "template": self._template("agent", grace=draw.choice([0, 1])),
            "minReadySeconds": draw.choice([0, 0, 5]),
        }
        if draw.random() < 0.3:
            spec["updateStrategy"] = {"type": "OnDelete"}
        elif draw.random() < 0.3:
            spec["updateStrategy"] = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 2}}
        path = f"{APPS}/daemonsets/agent"
        deeds = [self._new_image, self._new_image, self._lost_pod, self._cordoned, self._tainted]
        return self._life(path, "apps/v1", "DaemonSet", "agent", spec, deeds)

    def job(self) -> list[Step]:
        """Returns the life of a Job."""
        draw = self._random
        completions = draw.choice([None, 1, 3, 5])
        seconds, code = draw.choice([5, 30, 90]), draw.choice([0, 0, 1])
        template = self._template("j", grace=1)
        template["metadata"]["annotations"] = {DURATION: f"{seconds}s", EXIT_CODE: str(code)}
        template["spec"]["restartPolicy"] = draw.choice(["Never", "Never", "OnFailure"])
        spec: Document = {
            "template": template,
            "parallelism": draw.choice([1, 2, 4]),
            "backoffLimit": draw.choice([0, 1, 3]),
        }
        if completions is not None:
            spec["completions"] = completions
            spec["completionMode"] = draw.choice(["NonIndexed", "Indexed"])
        if draw.random() < 0.2:
            spec["activeDeadlineSeconds"] = draw.choice([20, 100])
        if draw.random() < 0.2:
            spec["suspend"] = True
        if draw.random() < 0.2:
            spec["podReplacementPolicy"] = "Failed"
        path = f"{BATCH}/jobs/j"
        return self._life(path, "batch/v1", "Job", "j", spec, [self._suspended, self._parallelism, self._lost_pod])

    def strict_job(self) -> list[Step]:
        """Returns the life of an Indexed Job with policies about its pods' ends."""
        draw = self._random
        code = draw.choice([0, 0, 1, 42])
        template = self._template("j", grace=1)
        template["metadata"]["annotations"] = {DURATION: f"{draw.choice([5, 30])}s", EXIT_CODE: str(code)}
        template["spec"]["restartPolicy"] = "Never"
        spec: Document = {"template": template, "completionMode": "Indexed", "backoffLimit": draw.choice([1, 4])}
        spec |= {"completions": draw.choice([2, 5]), "parallelism": draw.choice([1, 2, 5])}
        if draw.random() < 0.6:
            spec["backoffLimitPerIndex"] = draw.choice([0, 1])
            if draw.random() < 0.5:
                spec["maxFailedIndexes"] = draw.choice([0, 1])
        if draw.random() < 0.5:
            actions = ["FailJob", "Ignore", "Count", *(["FailIndex"] if "backoffLimitPerIndex" in spec else [])]
            codes = {"operator": draw.choice(["In", "NotIn"]), "values": [42]}
            rules = [{"action": draw.choice(actions), "onExitCodes": codes}]
            target = {"type": "DisruptionTarget", "status": "True"}
            spec["podFailurePolicy"] = {"rules": [*rules, {"action": "Ignore", "onPodConditions": [target]}]}
        if draw.random() < 0.4:
            rule = draw.choice([{"succeededCount": 1}, {"succeededIndexes": "0-1"}])
            spec["successPolicy"] = {"rules": [rule]}
        path = f"{BATCH}/jobs/j"
        return self._life(path, "batch/v1", "Job", "j", spec, [self._suspended, self._parallelism, self._lost_pod])

    def cron_job(self) -> list[Step]:
        """Returns the life of a CronJob."""
        draw = self._random
        template = self._template("cj", grace=1)
        template["metadata"]["annotations"] = {DURATION: f"{draw.choice([5, 100])}s"}
        template["spec"]["restartPolicy"] = "Never"
        spec: Document = {
            "schedule": draw.choice(["* * * * *", "*/2 * * * *", "*/5 * * * *"]),
            "concurrencyPolicy": draw.choice(["Allow", "Forbid", "Replace"]),
            "jobTemplate": {"spec": {"template": template}},
            "successfulJobsHistoryLimit": draw.choice([0, 1, 3]),
        }
        return self._life(f"{BATCH}/cronjobs/cj", "batch/v1", "CronJob", "cj", spec, [self._suspended])

    # the parts of a life

    def _template(self, app: str, grace: int) -> Document:
        container = {"name": "c", "image": "i:1", "resources": {"requests": {"cpu": "100m"}}}
        return {
            "metadata": {"labels": {"app": app}},
            "spec": {"terminationGracePeriodSeconds": grace, "containers": [container]},
        }

    def _life(
        self, path: str, version: str, kind: str, name: str, spec: Document, deeds: list[Callable[[str], Step]]
    ) -> list[Step]:
        document = {"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec}
        born = Step(1, f"create {document}", lambda cluster: cluster.ask("POST", path.rpartition("/")[0], document))
        count = self._random.randrange(1, 6)
        return [born, *(self._random.choice(deeds)(path) for _ in range(count))]

    def _pause(self) -> float:
        """Returns how long nothing is done: often long enough for things to settle, sometimes not."""
        return self._random.choice([2.3, 7.7, 45.5, 45.5, 120.5])

    def _patch(self, path: str, patch: Document) -> Step:
        return Step(self._pause(), f"patch {path} {patch}", lambda cluster: cluster.merge(path, patch))

    def _scale(self, path: str) -> Step:
        return self._patch(path, {"spec": {"replicas": self._random.randrange(6)}})

    def _parallelism(self, path: str) -> Step:
        return self._patch(path, {"spec": {"parallelism": self._random.randrange(4)}})

    def _new_image(self, path: str) -> Step:
        containers = [{"name": "c", "image": f"i:{self._random.randrange(1, 4)}"}]
        return self._patch(path, {"spec": {"template": {"spec": {"containers": containers}}}})

    def _label_of_template(self, path: str) -> Step:
        labels = {"step": str(self._random.randrange(2))}
        return self._patch(path, {"spec": {"template": {"metadata": {"labels": labels}}}})

    def _history_limit(self, path: str) -> Step:
        return self._patch(path, {"spec": {"revisionHistoryLimit": self._random.randrange(3)}})

    def _paused(self, path: str) -> Step:
        return self._patch(path, {"spec": {"paused": self._random.random() < 0.5}})

    def _suspended(self, path: str) -> Step:
        return self._patch(path, {"spec": {"suspend": self._random.random() < 0.5}})

    def _cordoned(self, path: str) -> Step:
        return self._patch("/api/v1/nodes/n2", {"spec": {"unschedulable": self._random.random() < 0.5}})

    def _tainted(self, path: str) -> Step:
        effect = self._random.choice(["NoSchedule", "NoExecute"])
        taints = [{"key": "k", "effect": effect}] if self._random.random() < 0.5 else None
        return self._patch("/api/v1/nodes/n3", {"spec": {"taints": taints}})

    def _lost_pod(self, path: str) -> Step:
        """Deletes one of the pods, the first by age: which of several equal ones does not matter."""

        def lose(cluster: Cluster) -> None:
            pods = cluster.ask("GET", PODS)["items"]
            if pods:
                first = min(pods, key=_age)
                cluster.ask("DELETE", f"{PODS}/{first['metadata']['name']}", {"gracePeriodSeconds": 1})

        return Step(self._pause(), "delete the oldest pod", lose)


def _age(pod: Document) -> tuple[str, str]:
    return pod["metadata"]["creationTimestamp"], pod["spec"].get("nodeName", "")
