"""Documents come back as the real server writes them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.transcripts import documents_of, scripts, steps_of
from wavetank.apiserver.codec import canonical
from wavetank.apiserver.codec.quantities import canonical_quantity
from wavetank.apiserver.codec.times import canonical_duration, canonical_microtime, canonical_time
from wavetank.apiserver.kinds import KindTable

TABLE = KindTable.builtin()
PLACEHOLDERS = {"<time>": "2024-01-01T00:00:00Z", "<microtime>": "2024-01-01T00:00:00.000000Z"}


def pod(document: dict[str, Any]) -> dict[str, Any]:
    return canonical(TABLE.find("", "v1", "pods").schema, document)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        pytest.param({}, {"metadata": {}, "spec": {"containers": None}, "status": {}}, id="what is always shown"),
        pytest.param({"metadata": {"name": None}}, {"metadata": {}}, id="null is nothing"),
        pytest.param({"metadata": {"name": "", "labels": {}}}, {"metadata": {}}, id="empty is nothing"),
        pytest.param(
            {"spec": {"priority": 0}}, {"spec": {"containers": None, "priority": 0}}, id="a zero behind a pointer"
        ),
        pytest.param({"spec": {"hostNetwork": False}}, {"spec": {"containers": None}}, id="a zero without one"),
        pytest.param(
            {"spec": {"containers": []}}, {"spec": {"containers": None}}, id="an empty list that must be shown"
        ),
        pytest.param(
            {"spec": {"containers": [{"name": "c", "resources": {"limits": {"cpu": "1000m", "memory": 1024}}}]}},
            {"spec": {"containers": [{"name": "c", "resources": {"limits": {"cpu": "1", "memory": "1024"}}}]}},
            id="quantities",
        ),
        pytest.param(
            {"status": {"conditions": [{"type": "Ready", "status": "True"}]}},
            {
                "status": {
                    "conditions": [
                        {"type": "Ready", "status": "True", "lastProbeTime": None, "lastTransitionTime": None}
                    ]
                }
            },
            id="times that must be shown",
        ),
    ],
)
def test_a_document_is_read_as_go_reads_it(written, read):
    assert pod(written) == {**pod({}), **read}


@pytest.mark.parametrize(
    "script", [each for each in scripts() if not each.startswith(("kubectl", "crd"))] or ["crud-pod"]
)
def test_recorded_objects_are_canonical_already(script):
    for step in steps_of(script):
        for document in documents_of(step):
            for each in [document, *_items(document)]:
                kind = TABLE.named(each.get("apiVersion", ""), each.get("kind", ""))
                if kind and "metadata" in each:
                    plain = _without_placeholders(each)
                    assert canonical(kind.schema, plain, strict=True) == plain


def _items(document: dict[str, Any]) -> list[dict[str, Any]]:
    head = {"apiVersion": document.get("apiVersion", ""), "kind": str(document.get("kind", "")).removesuffix("List")}
    return [{**head, **each} for each in document.get("items") or () if isinstance(each, dict)]


def _without_placeholders(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_placeholders(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_without_placeholders(each) for each in value]
    return PLACEHOLDERS["<time>"] if str(value).startswith("<time:") else PLACEHOLDERS.get(str(value), value)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("1000m", "1"),
        ("0.5", "500m"),
        ("1024Mi", "1Gi"),
        ("1.5Gi", "1536Mi"),
        ("0.5Mi", "512Ki"),
        ("100Ki", "100Ki"),
        ("0.5Ki", "512"),
        ("1e3", "1e3"),
        ("1e4", "10e3"),
        ("12E6", "12e6"),
        ("1500", "1500"),
        ("2000", "2k"),
        ("1n", "1n"),
        ("0.1n", "1n"),
        ("+5", "5"),
        ("-1500m", "-1500m"),
        ("0Mi", "0"),
        ("1000000", "1M"),
        (".5", "500m"),
        ("5.", "5"),
        ("0.1Gi", "107374182400m"),
        ("9Ei", "9223372036854775807"),
        ("100000000000000000000", "100E"),
    ],
)
def test_a_quantity_keeps_its_notation(written, read):
    assert canonical_quantity(written) == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z"),
        ("2024-01-01T01:30:00+01:30", "2024-01-01T00:00:00Z"),
        ("2024-01-01T00:00:00.999Z", "2024-01-01T00:00:00Z"),
        ("0001-01-01T00:00:00Z", None),
    ],
)
def test_a_time_is_written_in_utc(written, read):
    assert canonical_time(written) == read


def test_microseconds_stay():
    assert canonical_microtime("2024-01-01T01:00:00.000010+01:00") == "2024-01-01T00:00:00.000010Z"


@pytest.mark.parametrize(
    ("written", "read"), [("1h", "1h0m0s"), ("90s", "1m30s"), ("1500ms", "1.5s"), ("0", "0s"), ("-2us", "-2µs")]
)
def test_a_duration_is_written_as_go_does(written, read):
    assert canonical_duration(written) == read
