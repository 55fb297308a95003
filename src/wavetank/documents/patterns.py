"""JSON Schemas of what documents write in texts: durations, distributions, quantities, labels."""

from __future__ import annotations

from typing import Any

from wavetank.cluster.fields.resources import CPU, EPHEMERAL_STORAGE, MEMORY
from wavetank.documents.definitions import Definitions, Schema

_DECIMAL = r"([0-9]+(\.[0-9]*)?|\.[0-9]+)"

DURATION: Schema = {
    "description": "Seconds, or a text with units: 90, 1.5, 500ms, 2m30s, 1h.",
    "anyOf": [
        {"type": "number", "minimum": 0},
        {"type": "string", "pattern": rf"^({_DECIMAL}|({_DECIMAL}(ns|us|µs|ms|s|m|h|d))+)$"},
    ],
}

QUANTITY: Schema = {
    "description": "An amount as Kubernetes writes it: 2, 500m, 1.5Gi, 1e3.",
    "anyOf": [
        {"type": "number", "minimum": 0},
        {"type": "string", "pattern": r"^\+?([0-9]+\.?[0-9]*|\.[0-9]+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?$"},
    ],
}

_NAME = r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?"

LABEL_VALUE: Schema = {"type": "string", "pattern": f"^({_NAME})?$"}
LABELS: Schema = {
    "type": "object",
    "propertyNames": {"pattern": f"^([a-z0-9.-]+/)?{_NAME}$"},
    "additionalProperties": LABEL_VALUE,
}

_NUMBER: Schema = {"type": "number", "minimum": 0}
_EXPONENT: Schema = {"type": "number", "minimum": 0.05}


def write_amounts(definitions: Definitions) -> Schema:
    """Returns the schema of amounts by the names of resources."""
    return {
        "type": "object",
        "propertyNames": {"pattern": f"^({CPU}|{MEMORY}|{EPHEMERAL_STORAGE}|hugepages-.*|.*/.*)$"},
        "additionalProperties": definitions.refer("quantity", lambda _: QUANTITY),
    }


def write_distribution(definitions: Definitions) -> Schema:
    """Returns the schema of distributions of times."""
    time = definitions.refer("duration", lambda _: DURATION)
    itself = definitions.refer("distribution", write_distribution)
    kinds: Schema = {
        "constant": time,
        "uniform": {"type": "array", "items": time, "minItems": 2, "maxItems": 2},
        "exponential": time,
        "normal": _exactly(mean=time, deviation=time),
        "lognormal": _exactly(median=time, sigma=_NUMBER),
        "pareto": _exactly(least=time, alpha=_EXPONENT),
        "weibull": _exactly(scale=time, shape=_EXPONENT),
        "mixture": {"type": "array", "minItems": 1, "items": _exactly(weight=_NUMBER, of=itself)},
    }
    one = {"type": "object", "minProperties": 1, "maxProperties": 1, "properties": kinds, "additionalProperties": False}
    return {"description": "A duration, or a distribution of durations.", "anyOf": [time, one]}


def _exactly(**properties: Any) -> Schema:
    return {
        "type": "object",
        "required": list(properties),
        "properties": properties,
        "additionalProperties": False,
    }
