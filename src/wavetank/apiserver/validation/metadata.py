"""Metadata of all objects, and label selectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wavetank.apiserver.fielderrors import forbidden, invalid, required, too_long
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import (
    IMMUTABLE,
    Document,
    Errors,
    check_immutable,
    check_not_negative,
    each_invalid,
    structs,
)
from wavetank.cel.gotext import quote

NameProblems = Callable[[str], list[str]]
_ANNOTATIONS_LIMIT = 256 * 1024  # bytes
_FINALIZERS = frozenset({"kubernetes", "orphan", "foregroundDeletion"})
_LONGEST_MANAGER, _LONGEST_SUBRESOURCE = 128, 256  # bytes


def check_metadata(
    metadata: Document, namespaced: bool, problems: NameProblems, path: str = "metadata", core: bool = True
) -> Errors:
    """Checks the metadata of a new object; `core` adds the rule for finalizers that all but common checks have."""
    prefix = metadata.get("generateName") or ""
    if prefix:
        yield from each_invalid(f"{path}.generateName", prefix, problems(_masked(prefix, problems)))
    name = metadata.get("name") or ""
    if not name:
        yield required(f"{path}.name", "name or generateName is required")
    else:
        yield from each_invalid(f"{path}.name", name, problems(name))
    yield from _check_namespace(metadata, namespaced, path)
    yield from check_not_negative(f"{path}.generation", metadata.get("generation"))
    yield from _check_common(metadata, path)
    yield from _check_finalizers(metadata, path)
    if core:
        yield from check_finalizer_names(metadata, path)


def check_common_metadata(metadata: Document, namespaced: bool) -> Errors:
    """Checks what every kind's metadata must satisfy, whatever its own rules are."""
    return check_metadata(metadata, namespaced, names.path_segment_problems, core=False)


def check_metadata_update(new: Document, old: Document, core: bool = True, path: str = "metadata") -> Errors:
    """Checks changed metadata."""
    if old.get("deletionTimestamp"):
        yield from _check_no_new_finalizers(new, old, path)
    if not new.get("resourceVersion"):
        yield invalid(f"{path}.resourceVersion", new.get("resourceVersion") or "", "must be specified for an update")
    if (new.get("generation") or 0) < (old.get("generation") or 0):
        yield invalid(f"{path}.generation", new.get("generation") or 0, "must not be decremented")
    for name in ("name", "namespace", "uid"):
        yield from check_immutable(f"{path}.{name}", new.get(name) or "", old.get(name) or "")
    for name in ("creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"):
        if new.get(name) != old.get(name):
            yield invalid(f"{path}.{name}", new.get(name), IMMUTABLE)
    yield from _check_common(new, path)
    if core:
        yield from check_finalizer_names(new, path)


def check_finalizer_names(metadata: Document, path: str = "metadata") -> Errors:
    """Checks that finalizers without a domain are known ones."""
    for index, name in enumerate(metadata.get("finalizers") or ()):
        if "/" not in name and name not in _FINALIZERS:
            problem = "name is neither a standard finalizer name nor is it fully qualified"
            yield invalid(f"{path}.finalizers[{index}]", name, problem)


def check_managers(managed: list[Document]) -> Errors:
    """Checks the names of managers and subresources in managedFields."""
    for index, entry in enumerate(managed):
        path = f"metadata.managedFields[{index}]"
        yield from check_manager(entry.get("manager") or "", f"{path}.manager")
        if len((entry.get("subresource") or "").encode()) > _LONGEST_SUBRESOURCE:
            yield too_long(f"{path}.subresource", _LONGEST_SUBRESOURCE)


def check_manager(name: str, path: str) -> Errors:
    """Checks the name of a field manager."""
    if len(name.encode()) > _LONGEST_MANAGER:
        yield too_long(path, _LONGEST_MANAGER)
    if not name.isprintable():
        for index, char in enumerate(name):
            if not char.isprintable():
                place = len(name[:index].encode())
                yield invalid(path, name, f"invalid character U+{ord(char):04X} (at position {place})")


def check_labels(labels: Document | None, path: str) -> Errors:
    """Checks a map of labels."""
    for key, value in (labels or {}).items():
        yield from each_invalid(path, key, names.label_key_problems(key))
        yield from each_invalid(path, value, names.label_value_problems(value))


def check_annotations(annotations: Document | None, path: str) -> Errors:
    """Checks a map of annotations."""
    size = 0
    for key, value in (annotations or {}).items():
        yield from each_invalid(path, key, names.label_key_problems(key.lower()))
        size += len(key.encode()) + len(value.encode())
    if size > _ANNOTATIONS_LIMIT:
        yield too_long(path, _ANNOTATIONS_LIMIT)


def check_template_metadata(metadata: Document, path: str) -> Errors:
    """Checks the metadata of a template of claims, which may have labels and annotations only."""
    yield from check_annotations(metadata.get("annotations"), f"{path}.annotations")
    yield from check_labels(metadata.get("labels"), f"{path}.labels")
    for name in metadata:
        if name not in ("labels", "annotations"):
            yield forbidden(f"{path}.{'uID' if name == 'uid' else name}", "cannot be set")


def check_selector(selector: Document | None, path: str) -> Errors:
    """Checks a label selector; none is fine."""
    if selector is None:
        return
    yield from check_labels(selector.get("matchLabels"), f"{path}.matchLabels")
    for where, requirement in structs(selector, path, "matchExpressions"):
        yield from check_requirement(requirement, where)


def check_requirement(requirement: Document, path: str) -> Errors:
    """Checks one expression of a label selector."""
    operator, values = requirement.get("operator") or "", requirement.get("values") or []
    if operator in ("In", "NotIn"):
        if not values:
            yield required(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'")
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            yield forbidden(f"{path}.values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
    else:
        yield invalid(f"{path}.operator", operator, "not a valid selector operator")
    key = requirement.get("key") or ""
    yield from each_invalid(f"{path}.key", key, names.label_key_problems(key))
    for index, value in enumerate(values):
        yield from each_invalid(f"{path}.values[{index}]", value, names.label_value_problems(value))


def show_selector(selector: Document | None) -> Document | None:
    """Returns a selector as Go shows it, with its labels sorted."""
    if not (selector or {}).get("matchLabels"):
        return selector
    assert selector is not None
    return {**selector, "matchLabels": dict(sorted(selector["matchLabels"].items()))}


def is_empty_selector(selector: Document) -> bool:
    """Tells whether a selector selects everything."""
    return not selector.get("matchLabels") and not selector.get("matchExpressions")


def _masked(prefix: str, problems: NameProblems) -> str:
    """Returns the prefix of a name as it is checked: a generated suffix follows it."""
    if problems is names.path_segment_problems:
        return f"{prefix}a"  # whatever follows, it will not be a dot or two
    return names.masked(prefix)


def _check_namespace(metadata: Document, namespaced: bool, path: str) -> Errors:
    namespace = metadata.get("namespace") or ""
    if namespaced and not namespace:
        yield required(f"{path}.namespace")
    elif namespaced:
        yield from each_invalid(f"{path}.namespace", namespace, names.label_problems(namespace))
    elif namespace:
        yield forbidden(f"{path}.namespace", "not allowed on this type")


def _check_common(metadata: Document, path: str) -> Errors:
    yield from check_labels(metadata.get("labels"), f"{path}.labels")
    yield from check_annotations(metadata.get("annotations"), f"{path}.annotations")
    yield from _check_owners(metadata.get("ownerReferences") or [], f"{path}.ownerReferences")


def _check_owners(owners: list[Document], path: str) -> Errors:
    controller = ""
    for owner in owners:
        yield from _check_owner(owner, path)
        if owner.get("controller"):
            name = f"{owner.get('kind', '')}/{owner.get('name', '')}"
            if controller:
                found = f'Found "true" in references for {controller} and {name}'
                yield invalid(path, owners, f"Only one reference can have Controller set to true. {found}")
            controller = controller or name


def _check_owner(owner: Document, path: str) -> Errors:
    version = owner.get("apiVersion") or ""
    if not version.rpartition("/")[2]:
        yield invalid(f"{path}.apiVersion", version, "version must not be empty")
    for name in ("kind", "name", "uid"):
        if not owner.get(name):
            yield invalid(f"{path}.{name}", "", "must not be empty")
    if (version, owner.get("kind")) == ("v1", "Event"):
        yield invalid(path, owner, "/v1, Kind=Event is disallowed from being an owner")


def _check_finalizers(metadata: Document, path: str) -> Errors:
    finalizers = metadata.get("finalizers") or []
    for name in finalizers:
        yield from each_invalid(f"{path}.finalizers", name, names.label_key_problems(name))
    if {"orphan", "foregroundDeletion"} <= {*finalizers}:
        problem = "finalizer orphan and foregroundDeletion cannot be both set"
        yield invalid(f"{path}.finalizers", finalizers, problem)


def _check_no_new_finalizers(new: dict[str, Any], old: dict[str, Any], path: str) -> Errors:
    extra = sorted({*(new.get("finalizers") or ())} - {*(old.get("finalizers") or ())})
    if extra:
        shown = ", ".join(quote(name) for name in extra)
        problem = "no new finalizers can be added if the object is being deleted, found new finalizers"
        yield forbidden(f"{path}.finalizers", f"{problem} []string{{{shown}}}")
