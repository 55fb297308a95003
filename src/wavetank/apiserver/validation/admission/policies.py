"""ValidatingAdmissionPolicies and their bindings."""

from __future__ import annotations

import re
from collections.abc import Mapping

from wavetank.apiserver.fielderrors import duplicate, forbidden, invalid, required, unsupported
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.admission.expressions import (
    AUTHORIZER,
    check_conditions,
    check_expression,
    variables_of,
)
from wavetank.apiserver.validation.admission.rules import FAILURE_POLICIES, check_match_resources
from wavetank.apiserver.validation.errors import Document, Errors, each_invalid, structs
from wavetank.apiserver.validation.metadata import check_metadata, check_selector
from wavetank.cel.checker import Checked
from wavetank.cel.syntax import RESERVED_NAMES, ExpressionError
from wavetank.cel.types import BOOL, DYN, NULL, STRING, Type

_ACTIONS = ("Audit", "Deny", "Warn")
_REASONS = ("Forbidden", "Invalid", "RequestEntityTooLarge")
_MOST_ANNOTATIONS = 20
_NOTHING = "validations or auditAnnotations must contain at least one item"
_BOTH = (
    "must not contain both Deny and Warn (repeating the same validation failure information in the API response and "
    "headers serves no purpose)"
)
_RESERVED = RESERVED_NAMES | {"true", "false", "null", "in"}


def check_policy(policy: Document) -> Errors:
    """Checks a new policy."""
    yield from check_metadata(policy["metadata"], False, names.subdomain_problems)
    yield from _check_spec(policy.get("spec") or {}, policy["metadata"].get("name") or "")


def check_policy_update(new: Document, old: Document) -> Errors:
    """Checks a changed policy, as a new one."""
    yield from check_policy(new)


def check_binding(binding: Document) -> Errors:
    """Checks a new binding of a policy."""
    yield from check_metadata(binding["metadata"], False, names.subdomain_problems)
    spec = binding.get("spec") or {}
    name = spec.get("policyName") or ""
    if not name:
        yield required("spec.policyName")
    else:
        yield from each_invalid("spec.policyName", name, names.subdomain_problems(name))
    yield from _check_parameters(spec.get("paramRef"), "spec.paramRef")
    if spec.get("matchResources") is not None:
        yield from check_match_resources(spec["matchResources"], "spec.matchResources")
    yield from _check_actions(spec.get("validationActions") or [], "spec.validationActions")


def check_binding_update(new: Document, old: Document) -> Errors:
    """Checks a changed binding, as a new one."""
    yield from check_binding(new)


def policy_variables(spec: Document) -> dict[str, Type]:
    """Returns what the expressions of a policy may speak of, with the types of the variables that it states.

    ExpressionError if one of them cannot be compiled.
    """
    found = {**variables_of(params=spec.get("paramKind") is not None, namespace=True), **AUTHORIZER}
    stated: dict[str, Type] = {}  # grows: each may use those before it
    known = {**found, "variables": Type("kubernetes.variables", fields=stated)}
    for each in spec.get("variables") or ():
        stated[each["name"]] = Checked(each["expression"], known).type
    return known if stated else found


def _check_spec(spec: Document, name: str) -> Errors:
    failing = spec.get("failurePolicy")
    if failing is None:
        yield required("spec.failurePolicy")
    elif failing not in FAILURE_POLICIES:
        yield unsupported("spec.failurePolicy", failing, FAILURE_POLICIES)
    if spec.get("paramKind") is not None:
        yield from _check_kind(spec["paramKind"], "spec.paramKind")
    match = spec.get("matchConstraints")
    if match is None:
        yield required("spec.matchConstraints")
    else:
        yield from check_match_resources(match, "spec.matchConstraints")
        if not match.get("resourceRules"):
            yield required("spec.matchConstraints.resourceRules")
    params = spec.get("paramKind") is not None
    conditions = {**variables_of(params=params, namespace=True), **AUTHORIZER}
    yield from check_conditions(spec.get("matchConditions") or [], "spec.matchConditions", conditions)
    yield from _check_variables(spec, conditions)
    if not spec.get("validations") and not spec.get("auditAnnotations"):
        yield required("spec.validations", _NOTHING)
        yield required("spec.auditAnnotations", _NOTHING)
        return
    try:
        variables = policy_variables(spec)
    except (ExpressionError, KeyError):  # told above
        variables = {**conditions, "variables": DYN}
    yield from _check_validations(spec, variables)
    yield from _check_annotations(spec, variables, name)


def _check_kind(kind: Document, path: str) -> Errors:
    version = kind.get("apiVersion") or ""
    group, slash, number = version.rpartition("/")
    if not version:
        yield required(f"{path}.apiVersion")
    elif "/" in group:
        yield invalid(f"{path}.apiVersion", version, f"unexpected GroupVersion string: {version}")
    else:
        if slash and group and (problems := names.subdomain_problems(group)):
            yield invalid(f"{path}.apiVersion", group, ",".join(problems))
        if not number:
            yield invalid(f"{path}.apiVersion", version, "version must be specified")
        elif problems := names.label_1035_problems(number):
            yield invalid(f"{path}.apiVersion", number, ",".join(problems))
    name = kind.get("kind") or ""
    if not name:
        yield required(f"{path}.kind")
    elif problems := names.label_1035_problems(name.lower()):
        why = f"may have mixed case, but should otherwise match: {','.join(problems)}"
        yield invalid(f"{path}.kind", name, why)


def _check_variables(spec: Document, known: Mapping[str, Type]) -> Errors:
    stated: dict[str, Type] = {}
    variables = {**known, "variables": Type("kubernetes.variables", fields=stated)}
    for where, each in structs(spec, "spec", "variables"):
        name, expression = each.get("name") or "", each.get("expression") or ""
        if not name.strip():
            yield required(f"{where}.name", "name is not specified")
        elif not re.fullmatch("[_a-zA-Z][_a-zA-Z0-9]*", name) or name in _RESERVED:
            yield invalid(f"{where}.name", name, "must be a valid CEL identifier")
        if not expression.strip():
            yield required(f"{where}.expression", "expression is not specified")
            continue
        try:
            stated[name] = Checked(expression, variables).type
        except ExpressionError as error:
            yield invalid(f"{where}.expression", expression, f"compilation failed: {error}")


def _check_validations(spec: Document, variables: Mapping[str, Type]) -> Errors:
    for where, each in structs(spec, "spec", "validations"):
        expression, message = each.get("expression") or "", each.get("message") or ""
        told = each.get("messageExpression") or ""
        if not expression.strip():
            yield required(f"{where}.expression", "expression is not specified")
        else:
            yield from check_expression(expression, f"{where}.expression", variables, BOOL)
        if told and not told.strip():
            yield invalid(f"{where}.messageExpression", told, "must be non-empty if specified")
        elif told:
            yield from check_expression(told, f"{where}.messageExpression", variables, STRING)
        if message and not message.strip():
            yield invalid(f"{where}.message", message, "must be non-empty if specified")
        elif re.search("[\n\r]", message.strip()):
            yield invalid(f"{where}.message", message, "must not contain line breaks")
        reason = each.get("reason")
        if reason is not None and reason not in _REASONS:
            yield unsupported(f"{where}.reason", reason, _REASONS)


def _check_annotations(spec: Document, variables: Mapping[str, Type], name: str) -> Errors:
    stated, path = spec.get("auditAnnotations") or [], "spec.auditAnnotations"
    if len(stated) > _MOST_ANNOTATIONS:
        yield invalid(path, stated, f"must not have more than {_MOST_ANNOTATIONS} auditAnnotations")
    seen: set[str] = set()
    for where, each in structs(spec, "spec", "auditAnnotations"):
        key, expression = each.get("key") or "", (each.get("valueExpression") or "").strip()
        if name:
            yield from each_invalid(f"{where}.key", f"{name}/{key}", names.label_key_problems(f"{name}/{key}"))
        else:
            yield invalid(f"{where}.key", key, "requires metadata.name be non-empty")
        if not expression:
            yield required(f"{where}.valueExpression", "valueExpression is not specified")
        else:
            yield from check_expression(expression, f"{where}.valueExpression", variables, STRING, NULL)
        if key in seen:
            yield duplicate(f"{where}.key", key)
        seen.add(key)


def _check_parameters(reference: Document | None, path: str) -> Errors:
    if reference is None:
        return
    name, selector = reference.get("name") or "", reference.get("selector")
    why = "name and selector are mutually exclusive"
    if name:
        yield from each_invalid(f"{path}.name", name, names.path_segment_problems(name))
        if selector is not None:
            yield forbidden(f"{path}.name", why)
    if selector is not None:
        yield from check_selector(selector, f"{path}.selector")
        if name:
            yield forbidden(f"{path}.selector", why)
    if not name and selector is None:
        yield required(path, "one of name or selector must be specified")
    action = reference.get("parameterNotFoundAction")
    if not action:
        yield required(f"{path}.parameterNotFoundAction")
    elif action not in ("Deny", "Allow"):
        yield unsupported(f"{path}.parameterNotFoundAction", action, ("Deny", "Allow"))


def _check_actions(actions: list[str], path: str) -> Errors:
    for index, action in enumerate(actions):
        if action not in _ACTIONS:
            yield unsupported(f"{path}[{index}]", action, _ACTIONS)
        if action in actions[:index]:
            yield duplicate(f"{path}[{index}]", action)
    if {"Deny", "Warn"} <= set(actions):
        yield invalid(path, actions, _BOTH)
    if not actions:
        yield required(path, "at least one validation action is required")
