"""How CertificateSigningRequests are written: who asks is known to the server, and approval is a part of its own."""

from __future__ import annotations

from wavetank.apiserver.strategies.strategy import Document, WriteContext

_DECISIONS = ("Approved", "Denied")


def prepare_signing_request(request: Document, context: WriteContext) -> None:
    """Adds the user that requests a certificate."""
    spec = request["spec"]
    for name in ("username", "uid", "groups", "extra"):
        spec.pop(name, None)
    spec.update(username=context.user_name, groups=list(context.user_groups))
    if context.user_uid:
        spec["uid"] = context.user_uid
    if context.user_extra:
        spec["extra"] = {key: list(values) for key, values in context.user_extra}
    request["status"] = {}


def prepare_signing_request_update(new: Document, old: Document, context: WriteContext) -> None:
    """Keeps what was asked for."""
    new["spec"] = old["spec"]


def prepare_signing_request_status(new: Document, old: Document, context: WriteContext) -> None:
    """Keeps decisions as they are, and adds the times of other conditions."""
    conditions = (new.get("status") or {}).get("conditions") or []
    for type_ in _DECISIONS:
        before = [condition for condition in _conditions(old) if condition.get("type") == type_]
        places = [index for index, condition in enumerate(conditions) if condition.get("type") == type_]
        if len(before) == len(places):
            for index, condition in zip(places, before, strict=True):
                conditions[index] = dict(condition)
    _add_times(new, old, context.now)


def prepare_approval(new: Document, old: Document, context: WriteContext) -> None:
    """Keeps all but the conditions, and adds their times."""
    _add_times(new, old, context.now)
    conditions = _conditions(new)
    new["spec"], new["status"] = old["spec"], {**(old.get("status") or {})}
    new["status"].pop("conditions", None)
    if conditions:
        new["status"]["conditions"] = conditions


def _conditions(request: Document) -> list[Document]:
    return (request.get("status") or {}).get("conditions") or []


def _add_times(new: Document, old: Document, now: str) -> None:
    for condition in _conditions(new):
        condition["lastUpdateTime"] = condition.get("lastUpdateTime") or now
        same = (each for each in _conditions(old) if _state(each) == _state(condition))
        since = next((each["lastTransitionTime"] for each in same if each.get("lastTransitionTime")), now)
        condition["lastTransitionTime"] = condition.get("lastTransitionTime") or since


def _state(condition: Document) -> tuple[str, str]:
    return condition.get("type") or "", condition.get("status") or ""
