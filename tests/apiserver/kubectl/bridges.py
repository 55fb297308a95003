"""Commands that stand for those of families that are kept aside: they bring the cluster to the recorded state."""

from __future__ import annotations

import json
from typing import Any

_BIG = json.dumps({"spec": {"containers": [{"name": "big", "image": "i", "resources": {"requests": {"cpu": "100"}}}]}})
_BAD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "bad"},
    "spec": {"containers": [{"name": "a", "image": "x:1"}]},
}
_ROLLED = ("rollout", "status", "deploy/web", "--timeout=300s")

_JOB: dict[str, Any] = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "j"},
    "spec": {
        "template": {
            "metadata": {"annotations": {"wavetank.dev/duration": "1s"}},  # as the recorded kubelet played it
            "spec": {"restartPolicy": "Never", "containers": [{"name": "j", "image": "img:1"}]},
        }
    },
}

Bridge = tuple[str, ...]
# Before these one of the commands that are kept aside had emptied the cache.
FORGETFUL = {167}
BAD, JOB = "bad.json", "job.json"
FILES = {BAD: json.dumps(_BAD), JOB: json.dumps(_JOB)}


def bridges(version: str) -> dict[int, list[Bridge]]:
    """Returns what is done before the command of a number. They read FILES."""
    cpu = ("--cpu=80%",) if version >= "v1.35" else ("--cpu-percent=80",)
    # the older kubectl came second to the recorded cluster, and found what the first had left on a node
    first: dict[int, list[Bridge]] = {} if version >= "v1.35" else {0: [("label", "node", "n3", "x=y")]}
    # and one of its pods had been drawn to another node
    moved = [] if version >= "v1.35" else _only_on("n3", ("delete", "pod", "db-1"))
    return first | {
        15: [_ROLLED],
        48: [
            _ROLLED,
            ("rollout", "undo", "deploy/web"),
            _ROLLED,
            ("rollout", "restart", "deploy/web"),
            _ROLLED,
        ],
        59: [
            ("scale", "deploy", "web", "--replicas=4"),
            _ROLLED,
            ("scale", "deploy/web", "--replicas=2"),
            _ROLLED,
            ("autoscale", "deploy", "web", "--min=1", "--max=3", *cpu),
        ],
        61: [("delete", "hpa", "web")],
        62: [_ROLLED],
        63: [_ROLLED],
        76: [
            _ROLLED,
            ("patch", "deploy", "web", "-p", '{"metadata":{"labels":{"sm":"1"}}}'),
            ("patch", "deploy", "web", "--type=merge", "-p", '{"spec":{"replicas":3}}'),
            _ROLLED,
        ],
        116: [
            ("create", "cm", "cm", "--from-literal=a=1"),
            *_only_on("n2", ("create", "deployment", "dep2", "--image=nginx")),
            *_only_on("n1", ("create", "-f", BAD)),
            *_only_on("n3", ("run", "one", "--image=img:1")),
            ("create", "pdb", "pdb", "--selector=app=web", "--min-available=3"),
            ("create", "role", "r", "--verb=get", "--resource=pods"),
            ("create", "rolebinding", "rb", "--role=r", "--user=bob"),
            ("create", "priorityclass", "pc-x", "--value=1000"),
            *_only_on("n1", ("create", "-f", JOB)),
            ("wait", "--for=condition=complete", "job/j", "--timeout=300s"),
            ("create", "cronjob", "cj", "--image=img:1", "--schedule=0 0 1 1 *"),
            *_only_on("n1", ("create", "job", "j2", "--from=cronjob/cj")),
            ("delete", "job", "j", "j2"),
            ("cordon", "n3"),  # where db-0 did not go, though it might have
        ],
        167: [("get", "pods")],
        126: [
            ("uncordon", "n3"),
            *moved,
            ("run", "big", "--image=i", f"--overrides={_BIG}"),
            ("delete", "pod", "big"),
        ],
    }


def _only_on(node: str, bridge: Bridge) -> list[Bridge]:
    """Does something while the scheduler may choose no other node: several are equally good, and it draws."""
    others = [other for other in ("n1", "n2", "n3") if other != node]
    return [("cordon", *others), bridge, ("uncordon", *others)]
