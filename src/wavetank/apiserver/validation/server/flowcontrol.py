"""FlowSchemas and PriorityLevelConfigurations."""

from __future__ import annotations

import math

from wavetank.apiserver.fielderrors import duplicate, forbidden, invalid, required, unsupported
from wavetank.apiserver.gotypes.internal import internal
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import Document, Errors, each_invalid, structs
from wavetank.apiserver.validation.metadata import check_metadata
from wavetank.apiserver.validation.server.flowobjects import MANDATORY, flow_schema_specs, priority_level_specs

_HIGHEST_PRECEDENCE = 10000
_DISTINGUISHERS = ("ByNamespace", "ByUser")
_SUBJECTS = {"Group": "group", "ServiceAccount": "serviceAccount", "User": "user"}
_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch")
_MOST_QUEUES = 10_000_000
_HASH_BITS = 60  # of which each queue of a hand takes some
_EXEMPT = "exempt"
_ROUND_TRIP = "flowcontrol.k8s.io/preserve-zero-concurrency-shares"


def check_flow_schema(schema: Document) -> Errors:
    """Checks a new FlowSchema."""
    yield from check_metadata(schema["metadata"], False, names.subdomain_problems)
    spec = schema.get("spec") or {}
    yield from _check_precedence(spec.get("matchingPrecedence") or 0, schema["metadata"].get("name") or "")
    method = spec.get("distinguisherMethod")
    if method is not None and method.get("type") not in _DISTINGUISHERS:
        yield unsupported("spec.distinguisherMethod.type", {"Type": method.get("type") or ""}, _DISTINGUISHERS)
    level = (spec.get("priorityLevelConfiguration") or {}).get("name") or ""
    if level:
        yield from each_invalid("spec.priorityLevelConfiguration.name", level, names.subdomain_problems(level))
    else:
        yield required("spec.priorityLevelConfiguration.name", "must reference a priority level")
    for path, rule in structs(spec, "spec", "rules"):
        yield from _check_rule(rule, path)
    name = schema["metadata"].get("name") or ""
    if name in MANDATORY and spec != flow_schema_specs()[name]:
        shown = internal("flowcontrol.FlowSchemaSpec", spec)
        yield invalid("spec", shown, f"spec of '{name}' must equal the fixed value")
    yield from check_conditions(schema)


def check_flow_schema_update(new: Document, old: Document) -> Errors:
    """Checks a changed FlowSchema, as a new one."""
    yield from check_flow_schema(new)


def check_priority_level(level: Document) -> Errors:
    """Checks a new PriorityLevelConfiguration."""
    metadata, spec = level["metadata"], level.get("spec") or {}
    yield from check_metadata(metadata, False, names.subdomain_problems)
    if _ROUND_TRIP in (metadata.get("annotations") or {}):
        yield forbidden("metadata.annotations", f"annotation '{_ROUND_TRIP}' is forbidden")
    type_ = spec.get("type") or ""
    if (metadata.get("name") == _EXEMPT) != (type_ == "Exempt"):
        yield invalid("spec.type", type_, "must be 'Exempt' if and only if `name` is 'exempt'")
    if type_ == "Exempt":
        yield from _check_exempt(spec)
    elif type_ == "Limited":
        yield from _check_limited(spec)
    else:
        yield unsupported("spec.type", type_, ("Exempt", "Limited"))
    yield from _check_mandatory_level(metadata.get("name") or "", spec)
    yield from check_conditions(level)


def _check_mandatory_level(name: str, spec: Document) -> Errors:
    if name not in MANDATORY:
        return
    fixed = priority_level_specs()[name]
    shown = internal("flowcontrol.PriorityLevelConfigurationSpec", spec)
    if name == _EXEMPT and {**spec, "exempt": fixed["exempt"]} != fixed:
        yield invalid("spec", shown, f"spec of '{name}' except the 'spec.exempt' field must equal the fixed value")
    elif name != _EXEMPT and spec != fixed:
        yield invalid("spec", shown, f"spec of '{name}' must equal the fixed value")


def check_priority_level_update(new: Document, old: Document) -> Errors:
    """Checks a changed PriorityLevelConfiguration, as a new one."""
    yield from check_priority_level(new)


def check_conditions(document: Document) -> Errors:
    """Checks the conditions in the status of either kind."""
    seen: set[str] = set()
    for path, condition in structs(document.get("status") or {}, "status", "conditions"):
        type_ = condition.get("type") or ""
        if type_ in seen:
            yield duplicate(f"{path}.type", type_)
        seen.add(type_)
        if not type_:
            yield required(f"{path}.type")


def check_conditions_update(new: Document, old: Document) -> Errors:
    """Checks a changed status of either kind."""
    yield from check_conditions(new)


def _check_precedence(precedence: int, name: str) -> Errors:
    path = "spec.matchingPrecedence"
    if precedence <= 0:
        yield invalid(path, precedence, "must be a positive value")
    if precedence > _HIGHEST_PRECEDENCE:
        yield invalid(path, precedence, f"must not be greater than {_HIGHEST_PRECEDENCE}")
    if precedence == 1 and name != _EXEMPT:
        yield invalid(path, precedence, "only the schema named 'exempt' may have matchingPrecedence 1")


def _check_rule(rule: Document, path: str) -> Errors:
    if not rule.get("subjects"):
        yield required(f"{path}.subjects", "subjects must contain at least one value")
    for where, subject in structs(rule, path, "subjects"):
        yield from _check_subject(subject, where)
    if not rule.get("resourceRules") and not rule.get("nonResourceRules"):
        yield required(path, "at least one of resourceRules and nonResourceRules has to be non-empty")
    for where, each in structs(rule, path, "resourceRules"):
        yield from _check_resource_rule(each, where)
    for where, each in structs(rule, path, "nonResourceRules"):
        yield from _check_url_rule(each, where)


def _check_subject(subject: Document, path: str) -> Errors:
    kind = subject.get("kind") or ""
    field = _SUBJECTS.get(kind)
    if field is None:
        yield unsupported(f"{path}.kind", kind, _SUBJECTS)
        return
    named = subject.get(field)
    if named is None:
        yield required(f"{path}.{field}", f"{field} is required when subject kind is '{kind}'")
    else:
        yield from _check_subject_name(named, kind, f"{path}.{field}")
    for other_kind, other in (("ServiceAccount", "serviceAccount"), ("User", "user"), ("Group", "group")):
        if other != field and subject.get(other) is not None:
            yield forbidden(f"{path}.{other}", f"{other} is forbidden when subject kind is not '{other_kind}'")


def _check_subject_name(subject: Document, kind: str, path: str) -> Errors:
    name = subject.get("name") or ""
    if not name:
        yield required(f"{path}.name")
    elif kind == "ServiceAccount" and name != "*":
        yield from each_invalid(f"{path}.name", name, names.subdomain_problems(name))
    if kind == "ServiceAccount":
        namespace = subject.get("namespace") or ""
        if namespace:
            yield from each_invalid(f"{path}.namespace", namespace, names.label_problems(namespace))
        else:
            yield required(f"{path}.namespace", "must specify namespace for service account")


def _check_resource_rule(rule: Document, path: str) -> Errors:
    yield from _check_verbs(rule.get("verbs") or [], f"{path}.verbs")
    for field, word in (("apiGroups", "api group"), ("resources", "resource")):
        values = rule.get(field) or []
        if not values:
            yield required(f"{path}.{field}", f"resource rules must supply at least one {word}")
        elif len(values) > 1 and "*" in values:
            yield invalid(f"{path}.{field}", values, f"if '*' is present, must not specify other {word}s")
    namespaces = rule.get("namespaces") or []
    if not namespaces and not rule.get("clusterScope"):
        problem = "resource rules that are not cluster scoped must supply at least one namespace"
        yield required(f"{path}.namespaces", problem)
    elif "*" in namespaces:
        if len(namespaces) > 1:
            yield invalid(f"{path}.namespaces", namespaces, "if '*' is present, must not specify other namespaces")
    else:
        for index, namespace in enumerate(namespaces):
            for problem in names.label_problems(namespace):
                introduced = f"each member of this list must be '*' or a DNS-1123 label; {problem}"
                yield invalid(f"{path}.namespaces[{index}]", namespace, introduced)


def _check_url_rule(rule: Document, path: str) -> Errors:
    yield from _check_verbs(rule.get("verbs") or [], f"{path}.verbs")
    path, urls = f"{path}.nonResourceURLs", rule.get("nonResourceURLs") or []
    if not urls:
        yield required(path, "nonResourceURLs must contain at least one value")
    elif "*" in urls:
        if len(urls) > 1:
            yield invalid(path, urls, "if '*' is present, must not specify other non-resource URLs")
    else:
        for index, url in enumerate(urls):
            if problem := _url_problem(url):
                yield invalid(f"{path}[{index}]", url, problem)


def _check_verbs(verbs: list[str], path: str) -> Errors:
    if not verbs:
        yield required(path, "verbs must contain at least one value")
    elif "*" in verbs:
        if len(verbs) > 1:
            yield invalid(path, verbs, "if '*' is present, must not specify other verbs")
    elif not set(verbs) <= set(_VERBS):
        yield unsupported(path, verbs, _VERBS)


def _url_problem(url: str) -> str:
    problems = {
        "must not be empty": not url,
        "must start with slash": not url.startswith("/"),
        "must not contain white-space": " " in url,
        "must not contain double slash": "//" in url,
        "wildcard can only do suffix matching": "*" in url and (url.count("*") > 1 or not url.endswith("/*")),
    }
    return next((problem for problem, found in problems.items() if found), "")


def _check_exempt(spec: Document) -> Errors:
    if spec.get("limited") is not None:
        yield forbidden("spec.limited", "must be nil if the type is not Limited")
    yield from _check_shares(spec.get("exempt") or {}, "spec.exempt")
    yield from _check_lendable(spec.get("exempt") or {}, "spec.exempt")


def _check_limited(spec: Document) -> Errors:
    if spec.get("exempt") is not None:
        yield forbidden("spec.exempt", "must be nil if the type is Limited")
    limited, path = spec.get("limited"), "spec.limited"
    if limited is None:
        yield required(path, "must not be empty when type is Limited")
        return
    yield from _check_shares(limited, path)
    yield from _check_response(limited.get("limitResponse") or {}, f"{path}.limitResponse")
    yield from _check_lendable(limited, path)
    if (limited.get("borrowingLimitPercent") or 0) < 0:
        problem = "if specified, must be a non-negative integer"
        yield invalid(f"{path}.borrowingLimitPercent", limited["borrowingLimitPercent"], problem)


def _check_shares(level: Document, path: str) -> Errors:
    if (level.get("nominalConcurrencyShares") or 0) < 0:
        problem = "must be a non-negative integer"
        yield invalid(f"{path}.nominalConcurrencyShares", level["nominalConcurrencyShares"], problem)


def _check_lendable(level: Document, path: str) -> Errors:
    if not 0 <= (level.get("lendablePercent") or 0) <= 100:
        yield invalid(f"{path}.lendablePercent", level["lendablePercent"], "must be between 0 and 100, inclusive")


def _check_response(response: Document, path: str) -> Errors:
    type_, queuing = response.get("type") or "", response.get("queuing")
    if type_ == "Reject":
        if queuing is not None:
            yield forbidden(f"{path}.queuing", "must be nil if limited.limitResponse.type is not Limited")
    elif type_ == "Queue":
        if queuing is None:
            yield required(f"{path}.queuing", "must not be empty if limited.limitResponse.type is Limited")
        else:
            yield from _check_queuing(queuing, f"{path}.queuing")
    else:
        yield unsupported(f"{path}.type", type_, ("Queue", "Reject"))


def _check_queuing(queuing: Document, path: str) -> Errors:
    limit, queues, hand = (queuing.get(name) or 0 for name in ("queueLengthLimit", "queues", "handSize"))
    if limit <= 0:
        yield invalid(f"{path}.queueLengthLimit", limit, "must be positive")
    if queues <= 0:
        yield invalid(f"{path}.queues", queues, "must be positive")
    elif queues > _MOST_QUEUES:
        yield invalid(f"{path}.queues", queues, f"must not be greater than {_MOST_QUEUES}")
    if hand <= 0:
        yield invalid(f"{path}.handSize", hand, "must be positive")
    elif hand > queues:
        yield invalid(f"{path}.handSize", hand, f"should not be greater than queues ({queues})")
    elif math.ceil(math.log2(queues) * hand) > _HASH_BITS:
        needed = f"required entropy bits of deckSize {queues} and handSize {hand}"
        yield invalid(f"{path}.handSize", hand, f"{needed} should not be greater than {_HASH_BITS}")
