from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.controllers.clusters import ControllerCluster, a_template, a_workload

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
    cluster = ControllerCluster("deployment,replicaset")
    cluster.create(
        a_workload("Deployment", replicas=replicas, strategy={"type": "RollingUpdate", "rollingUpdate": rolling})
    )
    image = "nginx"
    for step, number in steps:
        before = _available(cluster)
        if step == "image":
            image = f"nginx:{number}"
            cluster.change(D, "web", template=a_template(image=image))
        elif step == "scale":
            cluster.change(D, "web", replicas=number)
            replicas = number
        elif step in ("pause", "resume"):
            cluster.change(D, "web", paused=step == "pause")
        elif step == "start":
            cluster.start(cluster.pods()[:number])
        elif step == "bury":
            cluster.remove_deleted()
        elif cluster.pods():
            cluster.end(cluster.pods()[number % len(cluster.pods())])
            before = 0  # that was not the deployment
        most = replicas + surge
        assert sum(each.manifest["spec"]["replicas"] for each in cluster.store.list(RS)) <= most or step == "scale"
        least = replicas - rolling["maxUnavailable"]
        assert _available(cluster) >= min(before, least)
    cluster.change(D, "web", paused=False)
    for _ in range(40):
        cluster.start()
        cluster.remove_deleted()
    active = [pod for pod in cluster.pods() if not pod.finished]
    assert len(active) == replicas
    assert all(pod.spec.images == (image,) for pod in active)
    status = cluster.status(D, "web")
    assert status.get("availableReplicas", 0) == status.get("updatedReplicas", 0) == replicas
    assert {each["type"]: each["reason"] for each in status["conditions"]} == {
        "Available": "MinimumReplicasAvailable",
        "Progressing": "NewReplicaSetAvailable",
    }


def _available(cluster: ControllerCluster) -> int:
    return sum(pod.phase == "Running" for pod in cluster.pods())
