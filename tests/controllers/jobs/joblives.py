"""What the tests of Jobs share."""

from __future__ import annotations

from typing import Any

from tests.controllers.worlds import World, a_template
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import render_time

JOB = "Job.batch"


def a_job(name: str = "j", policy: str = "Never", **spec: Any) -> dict[str, Any]:
    template = a_template({"app": "batch"}, restartPolicy=policy)
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {"template": template, **spec}}


def a_world(**spec: Any) -> World:
    world = World("job")
    world.create(a_job(**spec))
    return world


def alive(world: World) -> list[Pod]:
    return [pod for pod in world.pods() if not pod.finished]


def end(world: World, pod: Pod, code: int = 0, after: float = 0) -> None:
    """Lets a pod's container exit, and the Job hear of it."""
    world.settle(after)
    new = world.store.get("Pod", pod.namespace, pod.name).copy()
    new.phase = "Failed" if code else "Succeeded"
    terminated = {"exitCode": code, "finishedAt": render_time(world.clock.now)}
    status = {"containerStatuses": [{"name": "main", "state": {"terminated": terminated}}]}
    new.manifest = {**new.manifest, "status": {**(new.manifest.get("status") or {}), **status}}
    world.store.update(new)
    world.settle(1)


def conditions(world: World, name: str = "j") -> list[tuple[str, str, str]]:
    """Returns type, reason and message of the conditions that hold."""
    found = world.status(JOB, name).get("conditions") or []
    return [(c["type"], c.get("reason", ""), c.get("message", "")) for c in found if c["status"] == "True"]


def kinds(world: World, name: str = "j") -> list[str]:
    return [kind for kind, _, _ in conditions(world, name)]
