"""When jobs fail and when they succeed."""

from __future__ import annotations

import re

from wavetank.apiserver.fielderrors import OMITTED, duplicate, invalid, required, too_many, unsupported
from wavetank.apiserver.gotypes.internal import internal
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import Document, Errors, check_not_negative, each_invalid, structs

_ACTIONS = ("Count", "FailIndex", "FailJob", "Ignore")
_STATUSES = ("False", "True", "Unknown")
_MOST_RULES = 20
_MOST_CODES = 255


def check_failure_policy(spec: Document, path: str) -> Errors:
    """Checks what failures of pods mean for their job."""
    policy = spec["podFailurePolicy"] or {}
    rules = policy.get("rules") or []
    if len(rules) > _MOST_RULES:
        yield too_many(f"{path}.rules", len(rules), _MOST_RULES)
    pod = (spec.get("template") or {}).get("spec") or {}
    containers = {one.get("name") for kind in ("containers", "initContainers") for one in pod.get(kind) or ()}
    for where, rule in structs(policy, path, "rules"):
        yield from _check_action(rule.get("action") or "", spec, f"{where}.action")
        codes, conditions = rule.get("onExitCodes"), rule.get("onPodConditions") or []
        if codes is not None:
            yield from _check_codes(codes, containers, f"{where}.onExitCodes")
        yield from _check_conditions(conditions, f"{where}.onPodConditions")
        if codes is not None and conditions:
            problem = "specifying both OnExitCodes and OnPodConditions is not supported"
            yield invalid(where, OMITTED, problem)
        elif codes is None and not conditions:
            yield invalid(where, OMITTED, "specifying one of OnExitCodes and OnPodConditions is required")


def check_success_policy(spec: Document, path: str) -> Errors:
    """Checks when an indexed job has succeeded."""
    policy = spec.get("successPolicy")
    if policy is None:
        return
    if spec.get("completionMode") != "Indexed":
        yield invalid(path, internal("batch.SuccessPolicy", policy), "requires indexed completion mode")
        return
    rules = policy.get("rules") or []
    if not rules:
        yield required(f"{path}.rules", "at least one rules must be specified when the successPolicy is specified")
    if len(rules) > _MOST_RULES:
        yield too_many(f"{path}.rules", len(rules), _MOST_RULES)
    for where, rule in structs(policy, path, "rules"):
        yield from _check_success_rule(rule, spec.get("completions") or 0, where)


def _check_action(action: str, spec: Document, path: str) -> Errors:
    if not action:
        listed = " ".join(f'"{one}"' for one in _ACTIONS)
        yield required(path, f"valid values: [{listed}]")
    elif action == "FailIndex":
        if "backoffLimitPerIndex" not in spec:
            yield invalid(path, action, "requires the backoffLimitPerIndex to be set")
    elif action not in _ACTIONS:
        yield unsupported(path, action, _ACTIONS)


def _check_codes(codes: Document, containers: set[str | None], path: str) -> Errors:
    operator, values = codes.get("operator") or "", codes.get("values") or []
    if not operator:
        yield required(f"{path}.operator", 'valid values: ["In" "NotIn"]')
    elif operator not in ("In", "NotIn"):
        yield unsupported(f"{path}.operator", operator, ("In", "NotIn"))
    if codes.get("containerName") is not None and codes["containerName"] not in containers:
        problem = "must be one of the container or initContainer names in the pod template"
        yield invalid(f"{path}.containerName", codes["containerName"], problem)
    if not values:
        yield invalid(f"{path}.values", None, "at least one value is required")
    elif len(values) > _MOST_CODES:
        yield too_many(f"{path}.values", len(values), _MOST_CODES)
    for index, value in enumerate(values):
        if operator == "In" and value == 0:
            yield invalid(f"{path}.values[{index}]", value, "must not be 0 for the In operator")
        if value in values[:index]:
            yield duplicate(f"{path}.values[{index}]", value)
    if values != sorted(values):
        yield invalid(f"{path}.values", values, "must be ordered")


def _check_conditions(conditions: list[Document], path: str) -> Errors:
    if len(conditions) > _MOST_RULES:
        yield too_many(path, len(conditions), _MOST_RULES)
    for index, pattern in enumerate(conditions):
        kind, status = pattern.get("type") or "", pattern.get("status") or ""
        yield from each_invalid(f"{path}[{index}].type", kind, names.label_key_problems(kind))
        if not status:
            yield required(f"{path}[{index}].status", 'valid values: ["False" "True" "Unknown"]')
        elif status not in _STATUSES:
            yield unsupported(f"{path}[{index}].status", status, _STATUSES)


def _check_success_rule(rule: Document, completions: int, path: str) -> Errors:
    count, indexes = rule.get("succeededCount"), rule.get("succeededIndexes")
    if count is None and indexes is None:
        yield required(path, "at least one of succeededCount or succeededIndexes must be specified")
    total, problem = count_indexes(indexes or "", completions)
    if problem:
        yield invalid(f"{path}.succeededIndexes", indexes, f"error parsing succeededIndexes: {problem}")
    if count is None:
        return
    yield from check_not_negative(f"{path}.succeededCount", count)
    if count > completions:
        limit = f"must be less than or equal to {completions} (the number of specified completions)"
        yield invalid(f"{path}.succeededCount", count, limit)
    if indexes is not None and count > total:
        limit = f"must be less than or equal to {total} (the number of indexes in the specified succeededIndexes field)"
        yield invalid(f"{path}.succeededCount", count, limit)


def count_indexes(text: str, completions: int) -> tuple[int, str]:
    """Returns how many indexes an expression such as `0,2-4` names, and what is wrong with it."""
    total, last = 0, -1
    for part in text.split(",") if text else ():
        ends = part.split("-")
        if len(ends) > 2:
            rule = "violates the requirement that an index interval can have at most two parts separated by '-'"
            return 0, f'the fragment "{part}" {rule}'
        for end in ends:
            if not re.fullmatch("[+-]?[0-9]+", end):
                return 0, f'cannot convert string to integer for index: "{end}"'
            if int(end) >= completions:
                return 0, f'too large index: "{end}"'
        low, high = int(ends[0]), int(ends[-1])
        if len(ends) == 2 and low >= high:
            return 0, f"non-increasing order, previous: {low}, current: {high}"
        if last >= low:
            return 0, f"non-increasing order, previous: {last}, current: {low}"
        total, last = total + high - low + 1, high
    return total, ""
