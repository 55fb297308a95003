from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.inprocess import Caller
from wavetank.apiserver.api import Api
from wavetank.apiserver.features import SCALE_TO_ZERO, read_features
from wavetank.errors import InputError

HPAS = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
TARGET = {"type": "AverageValue", "averageValue": "10"}
QUEUE = {"type": "External", "external": {"metric": {"name": "queue"}, "target": TARGET}}
CPU = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}


def an_autoscaler(least: int, metric: dict[str, Any]) -> dict[str, Any]:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    spec = {"scaleTargetRef": target, "minReplicas": least, "maxReplicas": 5, "metrics": [metric]}
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web"},
        "spec": spec,
    }


def caller(*features: str) -> Caller:
    made = Caller()
    made.api = Api(made.store, features=frozenset(features))
    return made


@pytest.mark.parametrize(
    ("features", "least", "metric", "problem"),
    [
        pytest.param([], 1, QUEUE, "", id="one"),
        pytest.param([], 0, QUEUE, "must be greater than or equal to 1", id="zero is refused"),
        pytest.param([SCALE_TO_ZERO], 0, QUEUE, "", id="zero with the gate"),
        pytest.param([SCALE_TO_ZERO], 0, CPU, "at least one Object or External metric", id="but not for CPU alone"),
        pytest.param([SCALE_TO_ZERO], -1, QUEUE, "must be greater than or equal to 0", id="never less"),
    ],
)
def test_an_autoscaler_may_go_to_zero_with_the_feature_gate(
    features: list[str], least: int, metric: dict[str, Any], problem: str
) -> None:
    answer = caller(*features).ask("POST", HPAS, an_autoscaler(least, metric))
    assert answer.status == (422 if problem else 201)
    assert problem in str(answer.body)


def test_one_that_is_at_zero_already_may_be_changed_without_the_gate() -> None:
    client = caller(SCALE_TO_ZERO)
    client.create(HPAS, an_autoscaler(0, QUEUE))
    client.api = Api(client.store)
    assert client.merge(f"{HPAS}/web", {"spec": {"maxReplicas": 7}}).status == 200


def test_feature_gates_are_read_as_kube_apiserver_reads_them() -> None:
    assert read_features("HPAScaleToZero=true") == {SCALE_TO_ZERO}
    assert read_features("HPAScaleToZero=true, HPAScaleToZero=false") == set()
    with pytest.raises(InputError, match="did you mean HPAScaleToZero"):
        read_features("HPAScaleTozero=true")
    with pytest.raises(InputError, match="=true or"):
        read_features("HPAScaleToZero")
