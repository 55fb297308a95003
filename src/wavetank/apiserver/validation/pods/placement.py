"""Where pods may run: affinity, tolerations, spreading over the cluster, node selectors."""

from __future__ import annotations

from collections import Counter

from wavetank.apiserver.fielderrors import duplicate, forbidden, invalid, required, unsupported
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import NOT_POSITIVE, Document, Errors, each_invalid, structs
from wavetank.apiserver.validation.metadata import check_selector

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_ACTIONS = ("DoNotSchedule", "ScheduleAnyway")
_POLICIES = ("Honor", "Ignore")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def check_affinity(affinity: Document | None, path: str) -> Errors:
    """Checks which nodes and which other pods a pod wants near."""
    given = affinity or {}
    nodes = given.get("nodeAffinity")
    if nodes is not None:
        if _REQUIRED in nodes:
            yield from check_node_selector(nodes[_REQUIRED], f"{path}.nodeAffinity.{_REQUIRED}")
        for where, term in structs(nodes, f"{path}.nodeAffinity", _PREFERRED):
            yield from _check_weight(term, where)
            yield from _check_term(term.get("preference") or {}, f"{where}.preference", values=False)
    for kind in ("podAffinity", "podAntiAffinity"):
        pods = given.get(kind) or {}
        for where, term in structs(pods, f"{path}.{kind}", _REQUIRED):
            yield from _check_pod_term(term, where)
        for where, term in structs(pods, f"{path}.{kind}", _PREFERRED):
            yield from _check_weight(term, where)
            yield from _check_pod_term(term.get("podAffinityTerm") or {}, f"{where}.podAffinityTerm")


def check_node_selector(selector: Document, path: str) -> Errors:
    """Checks a required choice of nodes."""
    if not selector.get("nodeSelectorTerms"):
        yield required(f"{path}.nodeSelectorTerms", "must have at least one node selector term")
    for where, term in structs(selector, path, "nodeSelectorTerms"):
        yield from _check_term(term, where)


def check_tolerations(tolerations: list[Document], path: str) -> Errors:
    """Checks which taints a pod tolerates."""
    for index, toleration in enumerate(tolerations):
        yield from _check_toleration(toleration, f"{path}[{index}]")


def check_effect(effect: str, path: str) -> Errors:
    """Checks the effect of a taint."""
    if effect not in EFFECTS:
        yield unsupported(path, effect, EFFECTS)


def check_spreading(spec: Document, path: str) -> Errors:
    """Checks how pods are to be spread over the cluster."""
    left = Counter(map(_pair, spec.get("topologySpreadConstraints") or []))
    for where, constraint in structs(spec, path, "topologySpreadConstraints"):
        if constraint.get("maxSkew", 0) <= 0:
            yield invalid(f"{where}.maxSkew", constraint.get("maxSkew", 0), NOT_POSITIVE)
        if not constraint.get("topologyKey"):
            yield required(f"{where}.topologyKey", "can not be empty")
        action = constraint.get("whenUnsatisfiable", "")
        if action not in _ACTIONS:
            yield unsupported(f"{where}.whenUnsatisfiable", action, _ACTIONS)
        pair = _pair(constraint)
        left[pair] -= 1
        if left[pair]:  # it is repeated later
            yield duplicate(f"{where}.{{topologyKey, whenUnsatisfiable}}", f"{{{pair[0]}, {pair[1]}}}")
        yield from _check_domains(constraint, action, where)
        for name in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            if name in constraint and constraint[name] not in _POLICIES:
                yield unsupported(f"{where}.{name}", constraint[name], _POLICIES)
        yield from _check_label_keys(constraint, where)
        yield from check_selector(constraint.get("labelSelector"), f"{where}.labelSelector")


def _pair(constraint: Document) -> tuple[str, str]:
    return constraint.get("topologyKey", ""), constraint.get("whenUnsatisfiable", "")


def _check_domains(constraint: Document, action: str, path: str) -> Errors:
    domains = constraint.get("minDomains")
    if domains is None:
        return
    if domains <= 0:
        yield invalid(f"{path}.minDomains", domains, NOT_POSITIVE)
    if action != "DoNotSchedule":
        problem = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
        yield invalid(f"{path}.minDomains", domains, problem)


def _check_weight(term: Document, path: str) -> Errors:
    if not 1 <= term.get("weight", 0) <= 100:
        yield invalid(f"{path}.weight", term.get("weight", 0), "must be in the range 1-100")


def _check_term(term: Document, path: str, values: bool = True) -> Errors:
    for where, requirement in structs(term, path, "matchExpressions"):
        yield from _check_requirement(requirement, where, values)
    for where, requirement in structs(term, path, "matchFields"):
        yield from _check_field_requirement(requirement, where)


def _check_requirement(requirement: Document, path: str, check_values: bool) -> Errors:
    operator, values = requirement.get("operator", ""), requirement.get("values") or []
    if operator in ("In", "NotIn"):
        if not values:
            yield required(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'")
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            yield forbidden(f"{path}.values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
    elif operator in ("Gt", "Lt"):
        if len(values) != 1:
            yield required(f"{path}.values", "must be specified single value when `operator` is 'Lt' or 'Gt'")
    else:
        yield invalid(f"{path}.operator", operator, "not a valid selector operator")
    key = requirement.get("key", "")
    yield from each_invalid(f"{path}.key", key, names.label_key_problems(key))
    for index, value in enumerate(values if check_values else ()):
        yield from each_invalid(f"{path}.values[{index}]", value, names.label_value_problems(value))


def _check_field_requirement(requirement: Document, path: str) -> Errors:
    operator, values = requirement.get("operator", ""), requirement.get("values") or []
    if operator not in ("In", "NotIn"):
        yield invalid(f"{path}.operator", operator, "not a valid selector operator")
    elif len(values) != 1:
        problem = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        yield required(f"{path}.values", problem)
    if requirement.get("key") != "metadata.name":
        yield invalid(f"{path}.key", requirement.get("key", ""), "not a valid field selector key")
        return
    for index, value in enumerate(values):
        yield from each_invalid(f"{path}.values[{index}]", value, names.subdomain_problems(value))


def _check_pod_term(term: Document, path: str) -> Errors:
    for name in ("labelSelector", "namespaceSelector"):
        yield from check_selector(term.get(name), f"{path}.{name}")
    for namespace in term.get("namespaces") or ():
        yield from each_invalid(f"{path}.namespace", namespace, names.label_problems(namespace))
    yield from _check_label_keys(term, path)
    key = term.get("topologyKey", "")
    if not key:
        yield required(f"{path}.topologyKey", "can not be empty")
    yield from each_invalid(f"{path}.topologyKey", key, names.label_key_problems(key))


def _check_label_keys(term: Document, path: str) -> Errors:
    selector = term.get("labelSelector")
    for name in ("matchLabelKeys", "mismatchLabelKeys"):
        keys = term.get(name) or []
        if keys and selector is None:
            yield forbidden(f"{path}.{name}", "must not be specified when labelSelector is not set")
            continue
        for index, key in enumerate(keys):
            yield from each_invalid(f"{path}.{name}[{index}]", key, names.label_key_problems(key))
    if selector is not None:
        yield from _check_keys_once(term.get("matchLabelKeys") or [], selector, path)
    both = {*(term.get("mismatchLabelKeys") or ())}
    for index, key in enumerate(term.get("matchLabelKeys") or ()):
        if key in both:
            yield invalid(f"{path}.matchLabelKeys[{index}]", key, "exists in both matchLabelKeys and mismatchLabelKeys")


def _check_keys_once(keys: list[str], selector: Document, path: str) -> Errors:
    """Checks that a key is selected only once: the server itself adds one expression for each key."""
    selected = {*(selector.get("matchLabels") or {})}
    for expression in selector.get("matchExpressions") or ():
        key = expression.get("key", "")
        if key in selected and key in keys:
            yield invalid(f"{path}[{keys.index(key)}]", key, "exists in both matchLabelKeys and labelSelector")
        selected.add(key)


def _check_toleration(toleration: Document, path: str) -> Errors:
    key, operator, value = (toleration.get(name, "") for name in ("key", "operator", "value"))
    effect = toleration.get("effect", "")
    if key:
        yield from each_invalid(f"{path}.key", key, names.label_key_problems(key))
    elif operator != "Exists":
        problem = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
        yield invalid(f"{path}.operator", operator, problem)
    if "tolerationSeconds" in toleration and effect != "NoExecute":
        yield invalid(f"{path}.effect", effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")
    if operator in ("Equal", ""):
        problems = names.label_value_problems(value)
        if problems:
            yield invalid(f"{path}.operator", value, ";".join(problems))
    elif operator == "Exists":
        if value:
            yield invalid(f"{path}.operator", value, "value must be empty when `operator` is 'Exists'")
    else:
        known = ("Equal", "Exists", "Lt", "Gt") if operator in ("Lt", "Gt") else ("Equal", "Exists")
        yield unsupported(f"{path}.operator", operator, known)
    if effect:
        yield from check_effect(effect, f"{path}.effect")
