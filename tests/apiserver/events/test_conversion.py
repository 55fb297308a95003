from __future__ import annotations

import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.apiserver.transcripts import documents_of, steps_of
from wavetank.apiserver.conversion.events import CORE, NEW, as_core, as_new


def test_recorded_events_have_two_faces() -> None:
    """An event read through one group and then through the other is the same event."""
    faces: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for step in steps_of("events-core-new"):
        for document in documents_of(step):
            if document["kind"] == "Event":
                key = document["metadata"]["uid"], document["metadata"]["resourceVersion"]
                faces.setdefault(key, {})[document["apiVersion"]] = document
    both = [face for face in faces.values() if len(face) == 2]
    assert both
    for face in both:
        assert as_new(face[CORE]) == face[NEW]
        assert as_core(face[NEW]) == face[CORE]
        assert as_core(face[CORE]) == face[CORE]


def test_a_bare_event_shows_what_upstream_shows_unset() -> None:
    assert as_new(as_core({"apiVersion": CORE, "metadata": {"name": "a"}})) == {
        "kind": "Event",
        "apiVersion": NEW,
        "metadata": {"name": "a"},
        "regarding": {},
        "deprecatedSource": {},
        "deprecatedFirstTimestamp": None,
        "deprecatedLastTimestamp": None,
        "eventTime": None,
    }


WORDS = st.text("abc", max_size=3)
EVENTS = st.fixed_dictionaries(
    {"metadata": st.just({"name": "e"})},
    optional={
        "involvedObject": st.dictionaries(st.sampled_from(["kind", "name"]), WORDS),
        "reason": WORDS,
        "message": WORDS,
        "count": st.integers(0, 3),
        "type": WORDS,
        "eventTime": st.just("2024-01-01T00:00:00.000000Z"),
        "series": st.just({"count": 2}),
        "reportingComponent": WORDS,
    },
)


@given(EVENTS)
def test_there_and_back_again(event: dict[str, Any]) -> None:
    core = as_core({"apiVersion": CORE, **event})
    assert as_core(as_new(core)) == core
    assert not any(re.match("regarding|note|deprecated", field) for field in core)
