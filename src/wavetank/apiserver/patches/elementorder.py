"""The order of merged lists, by the order in the patch and the order on the server."""

from __future__ import annotations

from typing import Any

from wavetank.apiserver.errors import plain
from wavetank.apiserver.patches.refusal import go_value, no_merge_key, unexpected


def key_of(element: Any, merge_key: str) -> Any:
    """Returns the merge key of an element; in lists of scalars that is the element itself."""
    return element.get(merge_key) if merge_key and isinstance(element, dict) else element


def position(order: list[Any], element: Any, merge_key: str) -> int:
    """Returns where a list has the element with the same key, -1 if nowhere."""
    wanted = key_of(element, merge_key)
    for index, each in enumerate(order):
        found = key_of(each, merge_key)
        if type(found) is type(wanted) and found == wanted:
            return index
    return -1


def ordered(merged: list[Any], patch_order: list[Any], server_order: list[Any], merge_key: str) -> list[Any]:
    """Returns `merged` in order: its elements of the patch by `patch_order`, the others by `server_order`.

    An element that only the server has stands in front of one of the patch where it did so before.
    """
    require_keys(merged, merge_key)
    require_keys(patch_order, merge_key)
    patched = [each for each in merged if position(patch_order, each, merge_key) >= 0]
    others = [each for each in merged if position(patch_order, each, merge_key) < 0]
    patched.sort(key=lambda each: position(patch_order, each, merge_key))
    others.sort(key=lambda each: position(server_order, each, merge_key))
    return _interleaved(others, patched, server_order, merge_key)


def _interleaved(others: list[Any], patched: list[Any], server_order: list[Any], merge_key: str) -> list[Any]:
    result = []
    left, right = 0, 0
    while left < len(others) and right < len(patched):
        before = position(server_order, others[left], merge_key)
        after = position(server_order, patched[right], merge_key)
        if 0 <= before < after:
            result.append(others[left])
            left += 1
        else:
            result.append(patched[right])
            right += 1
    return [*result, *others[left:], *patched[right:]]


def require_keys(elements: list[Any], merge_key: str) -> None:
    """Refuses lists in which an element has no key."""
    if not merge_key:
        return
    for each in elements:
        if not isinstance(each, dict):
            raise unexpected("map[string]interface {}", each)
        if merge_key not in each:
            raise no_merge_key(each, merge_key)


def check_order(patch: list[Any], order: list[Any], merge_key: str) -> None:
    """Refuses a patch whose elements are not, in this order, in its $setElementOrder list."""
    if not patch or not order:
        return
    wanted = [each for each in patch if not (isinstance(each, dict) and "$patch" in each)]
    require_keys(wanted, merge_key)
    require_keys(order, merge_key)
    remaining = iter(order)
    for element in wanted:
        if not any(position([each], element, merge_key) == 0 for each in remaining):
            lists = f"{go_value(patch)}\n doesn't match $setElementOrder list:\n{go_value(order)}"
            raise plain(f"The order in patch list:\n{lists}\n")
