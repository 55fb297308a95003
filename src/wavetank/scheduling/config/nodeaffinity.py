"""Checks a node affinity that a profile adds to all of its pods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.fields.selectors import NodeSelectorTerm, read_field, read_list, read_text
from wavetank.errors import InputError
from wavetank.scheduling.config.reading import INT64_MAX, integer, read_object

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def read_node_affinity(raw: object) -> Mapping[str, Any] | None:
    """Reads a node affinity and returns it as it is, once every term in it can be compiled."""
    if raw is None:
        return None
    affinity = read_object(raw, (_REQUIRED, _PREFERRED))
    read_field(affinity, _REQUIRED, _check_required)
    read_field(affinity, _PREFERRED, read_list(_check_preferred))
    return affinity


def _check_required(raw: object) -> None:
    read_field(read_object(raw, ("nodeSelectorTerms",)), "nodeSelectorTerms", read_list(_check_term))


def _check_preferred(raw: object) -> None:
    term = read_object(raw, ("weight", "preference"))
    if read_field(term, "weight", integer(0)):  # kube-scheduler does not look into a preference of weight 0
        read_field(term, "preference", _check_term)


def _check_term(raw: object) -> None:
    term = read_object(raw, ("matchExpressions", "matchFields"))
    read_field(term, "matchExpressions", read_list(_check_comparison))
    read_field(term, "matchFields", read_list(_read_requirement))
    NodeSelectorTerm.parse(term)


def _check_comparison(raw: object) -> None:
    requirement = _read_requirement(raw)
    if requirement.get("operator") in ("Gt", "Lt"):
        read_field(requirement, "values", read_list(_check_integer))


def _read_requirement(raw: object) -> Mapping[str, object]:
    return read_object(raw, ("key", "operator", "values"))


def _check_integer(raw: object) -> None:
    try:
        integer(0, -INT64_MAX - 1, INT64_MAX)(int(read_text(raw)))
    except ValueError:
        raise InputError(f"{raw!r} cannot be compared, expected an integer") from None
