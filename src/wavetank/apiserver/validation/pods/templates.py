"""Selectors and templates of the kinds that make pods."""

from __future__ import annotations

from wavetank.apiserver.fielderrors import forbidden, invalid, required, unsupported
from wavetank.apiserver.validation.errors import Document, Errors, by_key
from wavetank.apiserver.validation.metadata import check_selector, is_empty_selector, show_selector
from wavetank.apiserver.validation.pods.pods import check_template

_UNMATCHED = "`selector` does not match template `labels`"


def check_pod_selector(spec: Document, path: str, shown: str) -> Errors:
    """Checks a selector that must be there and must not select everything."""
    selector = spec.get("selector")
    if selector is None:
        yield required(f"{path}.selector")
        return
    yield from check_selector(selector, f"{path}.selector")
    if is_empty_selector(selector):
        yield invalid(f"{path}.selector", show_selector(selector), f"empty selector is invalid for {shown}")


def selects(selector: Document | None, labels: Document) -> bool | None:
    """Tells whether a selector selects these labels; no selector selects nothing. None if it cannot be read."""
    if selector is None:
        return False
    if any(True for _ in check_selector(selector, "")):
        return None
    verdicts = [labels.get(key) == value for key, value in (selector.get("matchLabels") or {}).items()]
    verdicts += [_meets(requirement, labels) for requirement in selector.get("matchExpressions") or ()]
    return all(verdicts)


def check_matching_template(spec: Document, path: str) -> Errors:
    """Checks a template against the selector of its owner."""
    selector = spec.get("selector")
    labels = ((spec.get("template") or {}).get("metadata") or {}).get("labels")
    verdict = selects(selector, labels or {})
    if verdict is None:
        yield invalid(f"{path}.selector", show_selector(selector), "invalid label selector")
        return
    if not verdict:
        yield invalid(f"{path}.template.metadata.labels", by_key(labels), _UNMATCHED)
    yield from check_template(spec.get("template") or {}, f"{path}.template")


def check_always_restarted(spec: Document, path: str, shown: str) -> Errors:
    """Checks that pods are meant to run forever."""
    pod = (spec.get("template") or {}).get("spec") or {}
    if pod.get("restartPolicy") != "Always":
        yield unsupported(f"{path}.template.spec.restartPolicy", pod.get("restartPolicy") or "", ("Always",))
    if pod.get("activeDeadlineSeconds") is not None:
        problem = f"activeDeadlineSeconds in {shown} is not Supported"
        yield forbidden(f"{path}.template.spec.activeDeadlineSeconds", problem)


def _meets(requirement: Document, labels: Document) -> bool:
    value, values = labels.get(requirement.get("key", "")), requirement.get("values") or []
    match requirement.get("operator"):
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return value is not None
    return value is None
