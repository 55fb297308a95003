from __future__ import annotations

import pytest

from wavetank.controllers.clusterautoscaler.flags import honoured_flags
from wavetank.controllers.clusterautoscaler.options import Options
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND


def test_flags_are_read_by_their_names() -> None:
    flags = {"scan-interval": "20s", "expander": "priority,least-waste", "scale-down-unneeded-time": "2m"}
    options = Options.from_flags({**flags, "cores-total": "0:12", "max-nodes-total": "3"})
    assert options.scan_interval == 20 * SECOND
    assert options.expander == ("priority", "least-waste")
    assert options.group.scale_down_unneeded_time == 120 * SECOND
    assert options.cores_total.most == 12
    assert options.max_nodes_total == 3


@pytest.mark.parametrize(
    ("flag", "value", "message"),
    [
        pytest.param("gpu-total", "1", "not honoured", id="a flag that is not honoured"),
        pytest.param("scan-intervall", "1s", "did you mean scan-interval", id="a misspelt flag"),
        pytest.param("expander", "cheapest", "unknown expander 'cheapest'", id="an unknown expander"),
        pytest.param("cores-total", "9:3", "LEAST:MOST", id="bounds the wrong way round"),
        pytest.param("max-nodes-total", "many", "whole number", id="no number"),
        pytest.param("scale-down-enabled", "perhaps", "true or false", id="no truth value"),
        pytest.param("scan-interval", "0s", "more than 0", id="no interval"),
        pytest.param("max-nodes-total", "-1", "0 or more", id="a negative number"),
        pytest.param("scale-down-unneeded-time", "-2m", "cannot be negative", id="a negative time"),
        pytest.param("scale-down-utilization-threshold", "-0.5", "0 or more", id="a negative share"),
        pytest.param("expander", "random,random", "different expanders", id="an expander twice"),
    ],
)
def test_flags_that_cannot_be_honoured_are_refused(flag: str, value: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        Options.from_flags({flag: value}, "spec.autoscaler")
    assert caught.value.path == f"spec.autoscaler.{flag}"


def test_each_default_can_be_stated_and_means_the_default() -> None:
    stated = {flag.name: flag.default for flag in honoured_flags()}
    assert Options.from_flags(stated) == Options()


def test_a_group_overrides_settings_by_annotations_and_unreadable_ones_are_ignored() -> None:
    prefix = "cluster.x-k8s.io/autoscaling-options-"
    annotations = {f"{prefix}scaledownunneededtime": "4m", f"{prefix}scaledownutilizationthreshold": "much"}
    options = Options().group.overridden(annotations)
    assert options.scale_down_unneeded_time == 240 * SECOND
    assert options.scale_down_utilization_threshold == 0.5
