"""Selectors and templates of the kinds that make pods."""

from __future__ import annotations

from wavetank.apiserver.fielderrors import forbidden, invalid, required, unsupported
from wavetank.apiserver.validation.errors import Document, Errors
from wavetank.apiserver.validation.metadata import check_selector, is_empty_selector
from wavetank.apiserver.validation.pods import check_template

_UNMATCHED = "`selector` does not match template `labels`"


def check_pod_selector(spec: Document, path: str, shown: str) -> Errors:
    """Checks a selector that must be there and must not select everything."""
    selector = spec.get("selector")
    if selector is None:
        yield required(f"{path}.selector")
        return
    yield from check_selector(selector, f"{path}.selector")
    if is_empty_selector(selector):
        yield invalid(f"{path}.selector", selector, f"empty selector is invalid for {shown}")


def selects(selector: Document | None, labels: Document) -> bool | None:
    """Tells whether a selector selects these labels; no selector selects nothing. None if it cannot be read."""
    if selector is None:
        return False
    verdicts = [labels.get(key) == value for key, value in (selector.get("matchLabels") or {}).items()]
    for requirement in selector.get("matchExpressions") or ():
        verdict = _meets(requirement, labels)
        if verdict is None:
            return None
        verdicts.append(verdict)
    return all(verdicts)


def check_matching_template(spec: Document, path: str) -> Errors:
    """Checks a template against the selector of its owner."""
    selector = spec.get("selector")
    labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels")
    verdict = selects(selector, labels or {})
    if verdict is None:
        yield invalid(f"{path}.selector", selector, "invalid label selector")
        return
    if not verdict:
        yield invalid(f"{path}.template.metadata.labels", labels or None, _UNMATCHED)
    yield from check_template(spec.get("template") or {}, f"{path}.template")


def check_always_restarted(spec: Document, path: str, shown: str) -> Errors:
    """Checks that pods are meant to run for ever."""
    pod = (spec.get("template") or {}).get("spec") or {}
    if pod.get("restartPolicy") != "Always":
        yield unsupported(f"{path}.template.spec.restartPolicy", pod.get("restartPolicy") or "", ("Always",))
    if pod.get("activeDeadlineSeconds") is not None:
        problem = f"activeDeadlineSeconds in {shown} is not Supported"
        yield forbidden(f"{path}.template.spec.activeDeadlineSeconds", problem)


def _meets(requirement: Document, labels: Document) -> bool | None:
    value, values = labels.get(requirement.get("key", "")), requirement.get("values") or []
    match requirement.get("operator"):
        case "In":
            return value in values if values else None
        case "NotIn":
            return value not in values if values else None
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
    return None
