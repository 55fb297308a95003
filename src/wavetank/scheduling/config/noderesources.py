"""Reads the arguments of the two plugins that score by resources."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import pairwise
from typing import get_args

from wavetank.cluster.fields.selectors import read_field, read_label_key, read_list, read_text
from wavetank.cluster.releases import Version
from wavetank.errors import InputError
from wavetank.scheduling.config.args import (
    CPU_AND_MEMORY,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    ResourceSpec,
    ScoringStrategy,
    ScoringStrategyType,
    ShapePoint,
)
from wavetank.scheduling.config.reading import INT64_MAX, integer, read_object
from wavetank.words import did_you_mean

_STRATEGIES: Mapping[str, ScoringStrategyType] = {name: name for name in get_args(ScoringStrategyType)}
_RATIO = "requestedToCapacityRatio"


def read_balanced_allocation(args: Mapping[str, object], _: Version) -> NodeResourcesBalancedAllocationArgs:
    """Reads which resources should be balanced: each once, of weight 1."""
    resources = read_field(args, "resources", read_list(_read_resource))
    for index, resource in enumerate(resources):
        if resource.weight != 1:
            message = f"{resource.weight} is not a weight for balancing, expected 1"
            raise InputError(message, path=f"resources[{index}].weight")
        if resource.name in {earlier.name for earlier in resources[:index]}:
            raise InputError(f"{resource.name!r} stands here twice", path=f"resources[{index}].name")
    return NodeResourcesBalancedAllocationArgs(resources or CPU_AND_MEMORY)


def read_fit(args: Mapping[str, object], version: Version) -> NodeResourcesFitArgs:
    """Reads what NodeResourcesFit leaves out and how it scores."""
    return NodeResourcesFitArgs(
        read_field(args, "ignoredResources", read_list(read_label_key)),
        read_field(args, "ignoredResourceGroups", read_list(_read_group)),
        read_field(args, "scoringStrategy", partial(_read_strategy, version)),
    )


def _read_group(raw: object) -> str:
    if "/" in (group := read_text(raw)):
        raise InputError(f"{group!r} is not a resource group, expected only the part before the slash")
    return read_label_key(group)


def _read_strategy(version: Version, raw: object) -> ScoringStrategy:
    if raw is None:
        return ScoringStrategy()
    strategy = read_object(raw, ("type", "resources", _RATIO))
    kind = read_field(strategy, "type", _read_strategy_type)
    resources = read_field(strategy, "resources", read_list(_read_scored_resource))
    shape = _read_ratio(strategy, kind, version)
    return ScoringStrategy(kind, resources or CPU_AND_MEMORY, shape)


def _read_strategy_type(raw: object) -> ScoringStrategyType:
    name = read_text(raw)
    if name not in _STRATEGIES:
        known = ", ".join(_STRATEGIES)
        raise InputError(f"{name!r} is unknown, expected one of {known}{did_you_mean(name, _STRATEGIES)}")
    return _STRATEGIES[name]


def _read_ratio(strategy: Mapping[str, object], kind: ScoringStrategyType, version: Version) -> tuple[ShapePoint, ...]:
    given = strategy.get(_RATIO) is not None
    if kind == "RequestedToCapacityRatio":
        if not given:
            raise InputError("is missing, expected the shape of the scoring function", path=_RATIO)
    elif given and version >= (1, 36):
        raise InputError(f"does not go with {kind}, expected no such field", path=_RATIO)
    return read_field(strategy, _RATIO, _read_ratio_shape) if given else ()


def _read_ratio_shape(raw: object) -> tuple[ShapePoint, ...]:
    return read_field(read_object(raw, ("shape",)), "shape", read_shape)


def read_shape(raw: object) -> tuple[ShapePoint, ...]:
    """Reads the points of a scoring function, whose utilizations must increase."""
    shape = read_list(_read_point)(raw)
    if not shape:
        raise InputError("has no points, expected at least one")
    for index, (before, after) in enumerate(pairwise(shape), start=1):
        if before.utilization >= after.utilization:
            message = f"{after.utilization} does not follow {before.utilization}, expected increasing values"
            raise InputError(message, path=f"[{index}].utilization")
    return shape


def _read_point(raw: object) -> ShapePoint:
    point = read_object(raw, ("utilization", "score"))
    return ShapePoint(
        read_field(point, "utilization", integer(0, 0, 100)), read_field(point, "score", integer(0, 0, 10))
    )


def _read_scored_resource(raw: object) -> ResourceSpec:
    resource = _read_resource(raw)
    if not 0 < resource.weight <= 100:
        raise InputError(f"{resource.weight} is out of range, expected 1 to 100", path="weight")
    return resource


def _read_resource(raw: object) -> ResourceSpec:
    resource = read_object(raw, ("name", "weight"))
    weight = read_field(resource, "weight", integer(0, -INT64_MAX - 1, INT64_MAX))
    return ResourceSpec(read_field(resource, "name", read_text), weight or 1)
