"""Rules that say for which requests a webhook is called or a policy evaluated."""

from __future__ import annotations

from wavetank.apiserver.fielderrors import duplicate, invalid, required, unsupported
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import Document, Errors, each_invalid
from wavetank.apiserver.validation.metadata import check_selector

MATCH_POLICIES = ("Equivalent", "Exact")
FAILURE_POLICIES = ("Fail", "Ignore")
_OPERATIONS = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_SCOPES = ("*", "Cluster", "Namespaced")


def check_rule(rule: Document, path: str) -> Errors:
    """Checks a rule with its operations."""
    operations = rule.get("operations") or []
    if not operations:
        yield required(f"{path}.operations")
    yield from _check_alone(operations, f"{path}.operations", "operations")
    for index, operation in enumerate(operations):
        if operation not in _OPERATIONS:
            yield unsupported(f"{path}.operations[{index}]", operation, _OPERATIONS)
    for name, what in (("apiGroups", "API groups"), ("apiVersions", "API versions")):
        if not rule.get(name):
            yield required(f"{path}.{name}")
        yield from _check_alone(rule.get(name) or [], f"{path}.{name}", what)
    for index, version in enumerate(rule.get("apiVersions") or ()):
        if not version:
            yield required(f"{path}.apiVersions[{index}]")
    yield from _check_resources(rule.get("resources") or [], f"{path}.resources")
    scope = rule.get("scope")
    if scope is not None and scope not in _SCOPES:
        yield unsupported(f"{path}.scope", scope, _SCOPES)


def check_match_resources(match: Document, path: str) -> Errors:
    """Checks which objects a policy, or a binding of one, is for."""
    policy = match.get("matchPolicy")
    if policy is None:
        yield required(f"{path}.matchPolicy")
    elif policy not in MATCH_POLICIES:
        yield unsupported(f"{path}.matchPolicy", policy, MATCH_POLICIES)
    for name in ("namespaceSelector", "objectSelector"):
        if match.get(name) is None:
            yield required(f"{path}.{name}")
        else:
            yield from check_selector(match[name], f"{path}.{name}")
    for name in ("resourceRules", "excludeResourceRules"):
        for index, rule in enumerate(match.get(name) or ()):
            yield from _check_resource_names(rule.get("resourceNames") or [], f"{path}.{name}[{index}].resourceNames")
            yield from check_rule(rule, f"{path}.{name}[{index}]")


def _check_resource_names(stated: list[str], path: str) -> Errors:
    for index, name in enumerate(stated):
        yield from each_invalid(f"{path}[{index}]", name, names.path_segment_problems(name))
        if name in stated[:index]:
            yield duplicate(f"{path}[{index}]", name)


def _check_alone(stated: list[str], path: str, what: str) -> Errors:
    if len(stated) > 1 and "*" in stated:
        yield invalid(path, stated, f"if '*' is present, must not specify other {what}")


def _check_resources(resources: list[str], path: str) -> Errors:
    if not resources:
        yield required(path)
    all_below: set[str] = set()  # resources that are stated as x/*
    below_all: set[str] = set()  # subresources that are stated as */x
    for index, resource in enumerate(resources):
        if not resource:
            yield required(f"{path}[{index}]")
        name, slash, below = resource.partition("/")
        if not slash:
            continue
        if name in all_below:
            yield invalid(f"{path}[{index}]", resource, f"if '{name}/*' is present, must not specify {resource}")
        if below in below_all:
            yield invalid(f"{path}[{index}]", resource, f"if '*/{below}' is present, must not specify {resource}")
        if below == "*":
            all_below.add(name)
        if name == "*":
            below_all.add(below)
    if len(resources) > 1 and "*/*" in resources:
        yield invalid(path, resources, "if '*/*' is present, must not specify other resources")
    plain = [each for each in resources if each and "/" not in each]
    if "*" in plain and plain[-1] != "*":  # the real server looks at the last one only
        yield invalid(path, resources, "if '*' is present, must not specify other resources without subresources")
