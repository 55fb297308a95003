"""Numbers that may be percentages, and the statuses of replicated pods."""

from __future__ import annotations

from collections.abc import Iterable

from wavetank.apiserver.fielderrors import invalid
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import Document, Errors, check_not_negative, each_invalid

Amount = int | str
_TOO_MANY = "cannot be greater than status.replicas"


def check_amount_or_percentage(amount: Amount, path: str) -> Errors:
    """Checks a count or a percentage."""
    if isinstance(amount, str):
        yield from each_invalid(path, amount, names.percentage_problems(amount))
    else:
        yield from check_not_negative(path, amount)


def check_at_most_all(amount: Amount, path: str) -> Errors:
    """Checks that a percentage is at most 100 %."""
    if isinstance(amount, str) and not names.percentage_problems(amount) and int(amount[:-1]) > 100:
        yield invalid(path, amount, "must not be greater than 100%")


def figure(amount: Amount) -> int:
    """Returns the number of a count or of a percentage."""
    if isinstance(amount, int):
        return amount
    return int(amount[:-1]) if not names.percentage_problems(amount) else 0


def check_status_counts(status: Document, counted: Iterable[str], ready: str = "readyReplicas") -> Errors:
    """Checks counts of pods in a status: none negative, none above the number of replicas."""
    fields = tuple(counted)
    for name in ("observedGeneration", "replicas", *fields, "terminatingReplicas", "collisionCount"):
        yield from check_not_negative(f"status.{name}", status.get(name))
    replicas = status.get("replicas") or 0
    for name in fields:
        if name != "unavailableReplicas" and (status.get(name) or 0) > replicas:
            yield invalid(f"status.{name}", status.get(name) or 0, _TOO_MANY)
    available = status.get("availableReplicas") or 0
    if available > (status.get("readyReplicas") or 0):
        yield invalid("status.availableReplicas", available, f"cannot be greater than {ready}")


def check_collisions_kept(new: Document, old: Document) -> Errors:
    """Checks that the count of collisions does not go back."""
    count, before = ((one.get("status") or {}).get("collisionCount") for one in (new, old))
    if before is not None and (count is None or count < before):
        yield invalid("status.collisionCount", count or 0, "cannot be decremented")
