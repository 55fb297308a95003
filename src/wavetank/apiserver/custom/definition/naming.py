"""The names of a CustomResourceDefinition that are accepted: those that no other one of its group has."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from wavetank.apiserver.custom.definition.conditions import (
    APPROVED,
    ESTABLISHED,
    NAMES_ACCEPTED,
    condition,
    condition_of,
)
from wavetank.apiserver.custom.schema.structural import Document
from wavetank.cel.gotext import quote

APPROVAL = "api-approved.kubernetes.io"
_SEE = "see https://github.com/kubernetes/enhancements/pull/1111"


def accept_names(definition: Document, others: Iterable[Document]) -> tuple[Document, Document, Document]:
    """Returns the accepted names, the condition NamesAccepted, and the condition Established."""
    resources, kinds = _taken(definition["spec"]["group"], others)
    wanted, names = definition["spec"]["names"], dict(definition["status"].get("acceptedNames") or {})
    accepted: Document | None = None
    for key, reason, used in (
        ("plural", "PluralConflict", resources),
        ("singular", "SingularConflict", resources),
        ("shortNames", "ShortNamesConflict", resources),
        ("kind", "KindConflict", kinds),
        ("listKind", "ListKindConflict", kinds),
    ):
        problem = _conflict(wanted.get(key), names.get(key), used)
        if problem:
            accepted = condition(NAMES_ACCEPTED, "False", reason, problem)
        else:
            _set(names, key, wanted.get(key))
    _set(names, "categories", wanted.get("categories"))
    accepted = accepted or condition(NAMES_ACCEPTED, "True", "NoConflicts", "no conflicts found")
    return names, accepted, _established(definition, accepted)


def _taken(group: str, others: Iterable[Document]) -> tuple[set[str], set[str]]:
    resources: set[str] = set()
    kinds: set[str] = set()
    for other in others:
        if other["spec"]["group"] == group:
            names = (other.get("status") or {}).get("acceptedNames") or {}
            resources |= {names.get("plural", ""), names.get("singular", ""), *(names.get("shortNames") or ())}
            kinds |= {names.get("kind", ""), names.get("listKind", "")}
    return resources, kinds


def _conflict(wanted: str | list[str] | None, accepted: str | list[str] | None, used: set[str]) -> str:
    if isinstance(wanted, list) or isinstance(accepted, list):
        ours = set(accepted or ())
        problems = [f"{quote(name)} is already in use" for name in wanted or () if name in used - ours]
        return problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]" if problems else ""
    if (wanted or "") == (accepted or "") or (wanted or "") not in used:
        return ""
    return f"{quote(wanted or '')} is already in use"


def _set(names: Document, key: str, value: object) -> None:
    if value:
        names[key] = value
    else:
        names.pop(key, None)


def _established(definition: Document, named: Document) -> Document:
    old = condition_of(definition, ESTABLISHED)
    established = old or condition(ESTABLISHED, "False", "NotAccepted", "not all names are accepted")
    if established["status"] != "True" and named["status"] == "True":
        established = condition(ESTABLISHED, "False", "Installing", "the initial names have been accepted")
    return established


def is_protected(group: str) -> bool:
    """Says whether a group belongs to the Kubernetes community, which approves what is in it."""
    return any(group == domain or group.endswith(f".{domain}") for domain in ("k8s.io", "kubernetes.io"))


def approval_of(definition: Document) -> tuple[str, str]:
    """Returns the state of a community's approval (Missing, Unapproved, Approved, Invalid) and what is to be said."""
    text = (definition["metadata"].get("annotations") or {}).get(APPROVAL) or ""
    name = quote(APPROVAL)
    if not text:
        return "Missing", f"protected groups must have approval annotation {name}, {_SEE}"
    if text.startswith("unapproved"):
        return "Unapproved", f"not approved: {quote(text)}"
    try:
        url = urlsplit(text)
    except ValueError:
        url = urlsplit("")
    if url.scheme and url.netloc:
        return "Approved", f"approved in {text}"
    either = 'with either a URL or a reason starting with "unapproved"'
    return "Invalid", f"protected groups must have approval annotation {name} {either}, {_SEE}"


def approval_condition(definition: Document) -> Document | None:
    """Returns the condition about approval that a definition should have, None if it needs none."""
    if not is_protected(definition["spec"]["group"]):
        return None
    state, reason = approval_of(definition)
    return condition(APPROVED, "True" if state == "Approved" else "False", f"{state}Annotation", reason)
