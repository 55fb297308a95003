from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.transcripts import steps_of
from wavetank.apiserver.conversion.events import NEW, as_core
from wavetank.apiserver.errors import invalid
from wavetank.apiserver.validation.core.events import (
    check_event,
    check_event_update,
    check_strict_event,
    check_strict_event_update,
)

TIME = "2024-01-01T00:00:00.000001Z"


def test_recorded_refusals() -> None:
    """What the real server refused at creation is refused in its words, and nothing else."""
    for step in steps_of("events-core-new"):
        if step["op"] != "request" or step["method"] != "POST" or not step["path"].endswith("/events"):
            continue
        namespace = step["path"].split("/")[-2]
        event = as_core({**step["body"], "metadata": {"namespace": namespace, **step["body"]["metadata"]}})
        check = check_strict_event if step["body"]["apiVersion"] == NEW else check_event
        errors = [*check(event)]
        if step["response"]["status"] == 422:
            assert invalid("Event", event["metadata"]["name"], errors).status == step["response"]["body"]
        else:
            assert not errors, step["i"]


def an_event(**fields: Any) -> dict[str, Any]:
    regarding = {"kind": "Pod", "namespace": "ns", "name": "p"}
    told = {"reportingComponent": "c", "reportingInstance": "i", "action": "A", "reason": "R", "type": "Normal"}
    return {
        "metadata": {"name": "e", "namespace": "ns", "resourceVersion": "1"},
        "involvedObject": regarding,
        "eventTime": TIME,
        **told,
        **fields,
    }


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"reportingInstance": "x" * 129}, "reportingInstance", 'Invalid value: "": can have at most 128 characters'),
        ({"action": ""}, "action", "Required value"),
        ({"type": "Odd"}, "type", 'Invalid value: "": has invalid value: Odd'),
        ({"firstTimestamp": TIME}, "firstTimestamp", 'Invalid value: "": needs to be unset'),
        ({"source": {"host": "h"}}, "source", 'Invalid value: "": needs to be unset'),
        ({"series": {"count": 2}}, "series.lastObservedTime", "Required value"),
    ],
)
def test_new_events_are_checked(fields: dict[str, Any], field: str, message: str) -> None:
    errors = check_strict_event(an_event(**fields))
    assert [(error.field, error.body) for error in errors] == [(field, message)]


@pytest.mark.parametrize(
    ("fields", "field", "shown"),
    [
        ({"type": "Warning"}, "type", '"Warning"'),
        ({"count": 3}, "count", "3"),
        ({"eventTime": "2024-01-01T00:00:01.000000Z"}, "eventTime", '"2024-01-01T00:00:01.000000Z"'),
        ({"source": {"host": "h"}}, "source", '{"Component":"","Host":"h"}'),
        ({"reportingComponent": "d"}, "reportingController", '"d"'),
        (
            {"involvedObject": {"kind": "Pod", "namespace": "ns", "name": "q", "uid": "u"}},
            "involvedObject",
            '{"Kind":"Pod","Namespace":"ns","Name":"q","UID":"u","APIVersion":"","ResourceVersion":"","FieldPath":""}',
        ),
    ],
)
def test_an_event_does_not_change_but_for_its_series(fields: dict[str, Any], field: str, shown: str) -> None:
    errors = check_strict_event_update(an_event(**fields), an_event())
    assert [(error.field, error.body) for error in errors] == [(field, f"Invalid value: {shown}: field is immutable")]
    series = {"count": 2, "lastObservedTime": TIME}
    assert not [*check_strict_event_update(an_event(series=series), an_event())]
    assert not [*check_event_update(an_event(**fields), an_event())]
