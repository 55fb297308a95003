from __future__ import annotations

import pytest

from tests.controllers.podautoscaler.autoscaled import HPA, Autoscaled, external
from wavetank.cluster.store.errors import ConflictError
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND


def times(world: Autoscaled) -> list[int]:
    return [outcome.time // SECOND for outcome in world.outcomes]


def test_the_first_sync_comes_after_a_period_and_changes_bring_none_forward() -> None:
    world = Autoscaled(flags={"horizontal-pod-autoscaler-sync-period": "20s"})
    world.use(250, 250, 250, 250)
    world.pass_time(5)
    world.autoscaler()
    for _ in range(10):
        old = world.store.get(HPA, "default", "web")
        new = old.copy()
        new.manifest = {**old.manifest, "spec": {**old.manifest["spec"], "maxReplicas": 30}}
        world.store.update(new)
        world.pass_time(5)
    assert times(world) == [25, 45]


def test_scaling_writes_the_scale_the_status_and_an_event() -> None:
    world = Autoscaled()
    world.autoscaler()
    world.use(500, 500, 500, 500)
    outcome = world.sync()
    assert (world.replicas, outcome.rescaled) == (8, True)
    assert world.told == [
        ("SuccessfulRescale", "New size: 8; reason: cpu resource utilization (percentage of request) above target")
    ]
    status = world.status()
    assert (status["currentReplicas"], status["desiredReplicas"]) == (4, 8)
    assert status["lastScaleTime"] == "2030-01-01T00:00:15Z"
    current = {"averageValue": "500m", "averageUtilization": 100}
    assert status["currentMetrics"] == [{"type": "Resource", "resource": {"name": "cpu", "current": current}}]
    assert world.condition("AbleToScale") == ("True", "SucceededRescale")


def test_a_status_that_says_the_same_is_not_written_again() -> None:
    world = Autoscaled()
    world.autoscaler()
    world.use(250, 250, 250, 250)
    world.sync()
    version = world.store.version
    world.pass_time(150)
    assert (len(world.outcomes), world.store.version) == (11, version)


def test_an_autoscaler_made_again_before_its_turn_keeps_its_turn_and_its_recommendations() -> None:
    world = Autoscaled(8)
    world.autoscaler()
    world.use(*[250] * 8)
    world.sync()
    world.pass_time(7)
    world.store.delete(world.store.get(HPA, "default", "web"))
    world.autoscaler()
    world.use(*[50] * 8)
    world.pass_time(8)
    assert times(world) == [15, 30]
    assert world.outcomes[-1].desired == 8
    assert world.condition("AbleToScale") == ("True", "ScaleDownStabilized")


def test_an_autoscaler_that_is_missing_at_its_turn_is_forgotten() -> None:
    world = Autoscaled(8)
    world.autoscaler()
    world.use(*[1000] * 8)
    world.sync()
    world.store.delete(world.store.get(HPA, "default", "web"))
    world.pass_time(20)
    world.autoscaler()
    world.use(*[250] * 8)
    world.pass_time(15)
    assert times(world) == [15, 50]
    assert world.outcomes[-1].desired == 16  # its size when it was made again, not the 20 that were recommended before


@pytest.mark.parametrize(
    ("replicas", "bounds", "size", "reason"),
    [
        pytest.param(8, {"maxReplicas": 5}, 5, "above Spec.MaxReplicas", id="above the most"),
        pytest.param(2, {"minReplicas": 5}, 5, "below Spec.MinReplicas", id="below the least"),
    ],
)
def test_out_of_bounds_it_goes_straight_to_the_bound(
    replicas: int, bounds: dict[str, int], size: int, reason: str
) -> None:
    world = Autoscaled(replicas)
    world.autoscaler(**bounds)
    outcome = world.sync()
    assert (world.replicas, outcome.proposed) == (size, None)
    assert outcome.reason.endswith(reason)
    assert world.status()["currentMetrics"] is None


def test_zero_replicas_turn_scaling_off_unless_the_least_is_zero() -> None:
    world = Autoscaled(0)
    world.autoscaler(external(average="10"))
    world.metrics.queue = [50_000]
    assert world.sync().desired == 0
    assert world.condition("ScalingActive") == ("False", "ScalingDisabled")
    world.autoscaler(external(average="10"), name="from-zero", minReplicas=0)
    assert world.sync().proposed == 5
    assert world.replicas == 4


def test_two_autoscalers_of_the_same_pods_stop_each_other_when_both_are_known() -> None:
    world = Autoscaled()
    world.use(500, 500, 500, 500)
    world.autoscaler(name="a")
    world.autoscaler(name="b")
    world.sync()
    assert [outcome.desired for outcome in world.outcomes] == [8, None]
    assert "controlled by multiple HPAs: [default/a default/b]" in world.outcomes[-1].error
    world.sync()
    assert [outcome.desired for outcome in world.outcomes[2:]] == [None, None]


def test_a_conflict_is_tried_again_with_the_same_size(monkeypatch: pytest.MonkeyPatch) -> None:
    world = Autoscaled()
    world.autoscaler()
    world.use(500, 500, 500, 500)
    tried: list[int] = []
    write = world.context.client.update_scale

    def refuse_twice(scale: object, replicas: int) -> None:
        tried.append(world.clock.now)
        if len(tried) < 3:
            raise ConflictError("the object has been modified")
        write(scale, replicas)  # type: ignore[arg-type]

    monkeypatch.setattr(world.context.client, "update_scale", refuse_twice)
    world.pass_time(16)
    assert world.replicas == 8
    assert tried == [15 * SECOND, 15 * SECOND + 10_500_000, 15 * SECOND + 21_000_000]
    world.pass_time(15)
    assert world.outcomes[-1].time == 30 * SECOND + 21_000_000


def test_a_missing_target_is_told_and_found_when_it_comes() -> None:
    world = Autoscaled()
    world.use(250, 250, 250, 250)
    target = world.store.get("Deployment.apps", "default", "web")
    world.store.delete(target)
    world.autoscaler()
    assert world.sync().scale is None
    assert world.condition("AbleToScale") == ("False", "FailedGetScale")
    assert world.told == [("FailedGetScale", 'deployments.apps "web" not found')]
    world.store.create(target)
    assert world.sync().desired == 4


def test_an_unknown_flag_of_the_controller_is_refused() -> None:
    with pytest.raises(InputError, match="horizontal-pod-autoscaler-tolerence"):
        Autoscaled(flags={"horizontal-pod-autoscaler-tolerence": "0.1"})
