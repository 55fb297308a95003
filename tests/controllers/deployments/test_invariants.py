from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.controllers.worlds import World, a_template, a_workload

D, RS = "Deployment.apps", "ReplicaSet.apps"

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["image", "scale", "start", "start", "bury", "end", "pause", "resume"]), st.integers(0, 5)
    ),
    max_size=14,
)


@settings(max_examples=40, deadline=None)
@given(STEPS, st.integers(0, 3), st.integers(0, 3), st.integers(1, 6))
def test_a_rolling_deployment_keeps_its_bounds_and_converges(
    steps: list[tuple[str, int]], surge: int, unavailable: int, replicas: int
) -> None:
    rolling = {"maxSurge": surge, "maxUnavailable": unavailable or (0 if surge else 1)}
    world = World("deployment,replicaset")
    world.create(
        a_workload("Deployment", replicas=replicas, strategy={"type": "RollingUpdate", "rollingUpdate": rolling})
    )
    image = "nginx"
    for step, number in steps:
        before = _available(world)
        if step == "image":
            image = f"nginx:{number}"
            world.change(D, "web", template=a_template(image=image))
        elif step == "scale":
            world.change(D, "web", replicas=number)
            replicas = number
        elif step in ("pause", "resume"):
            world.change(D, "web", paused=step == "pause")
        elif step == "start":
            world.start(world.pods()[:number])
        elif step == "bury":
            world.bury()
        elif world.pods():
            world.end(world.pods()[number % len(world.pods())])
            before = 0  # that was not the deployment
        most = replicas + surge
        assert sum(each.manifest["spec"]["replicas"] for each in world.store.list(RS)) <= most or step == "scale"
        least = replicas - rolling["maxUnavailable"]
        assert _available(world) >= min(before, least)
    world.change(D, "web", paused=False)
    for _ in range(40):
        world.start()
        world.bury()
    active = [pod for pod in world.pods() if not pod.finished]
    assert len(active) == replicas
    assert all(pod.spec.images == (image,) for pod in active)
    status = world.status(D, "web")
    assert status.get("availableReplicas", 0) == status.get("updatedReplicas", 0) == replicas
    assert {each["type"]: each["reason"] for each in status["conditions"]} == {
        "Available": "MinimumReplicasAvailable",
        "Progressing": "NewReplicaSetAvailable",
    }


def _available(world: World) -> int:
    return sum(pod.phase == "Running" for pod in world.pods())
