"""How objects of custom kinds are written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wavetank.apiserver.custom.customtype import CustomType
from wavetank.apiserver.custom.rules import check_rules, old_mistakes
from wavetank.apiserver.custom.scale import check_scale_spec, check_scale_status
from wavetank.apiserver.custom.schema.correlation import Correlation
from wavetank.apiserver.custom.schema.embedded import check_embedded
from wavetank.apiserver.custom.schema.listtypes import check_lists
from wavetank.apiserver.custom.schema.structural import Document
from wavetank.apiserver.custom.schema.values import check_value
from wavetank.apiserver.fielderrors import (
    INVALID,
    REQUIRED,
    TOO_LONG,
    TOO_MANY,
    TYPE_INVALID,
    UNSUPPORTED,
    FieldError,
    invalid,
)
from wavetank.apiserver.generations import next_generation
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.metadata import check_common_metadata, check_metadata, check_metadata_update
from wavetank.cel.gotext import quote

_BLOCKING = frozenset({UNSUPPORTED, REQUIRED, TOO_LONG, TOO_MANY, TYPE_INVALID})
_NOT_CHECKED = (
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete "
    "validation"
)
_FINALIZERS = frozenset({"kubernetes", "orphan", "foregroundDeletion"})
_PREFER = "to avoid accidental conflicts with other finalizer writers"


def prepare_custom(custom: CustomType, document: Document) -> None:
    """Completes a new object, in place."""
    if custom.has_status:
        document.pop("status", None)
    document["metadata"]["generation"] = 1


def prepare_custom_update(custom: CustomType, new: Document, old: Document) -> None:
    """Makes a changed object ready, in place: its status is the old one if it has a path of its own."""
    if custom.has_status:
        _take(new, old, "status")
    before = old["metadata"].get("generation") or 0
    changed = _without_metadata(new) != _without_metadata(old)
    new["metadata"]["generation"] = next_generation(before) if changed else before


def prepare_custom_status(new: Document, old: Document) -> None:
    """Makes an object written to the status subresource ready, in place: nothing but its status is new."""
    status, fields = new.get("status"), new["metadata"].get("managedFields")
    has_status = "status" in new
    new.clear()
    new.update({**old, "metadata": dict(old["metadata"])})
    if fields is not None:
        new["metadata"]["managedFields"] = fields
    new.pop("status", None)
    if has_status:
        new["status"] = status


def _take(new: Document, old: Document, name: str) -> None:
    if name in old:
        new[name] = old[name]
    else:
        new.pop(name, None)


def _without_metadata(document: Document) -> Document:
    return {name: value for name, value in document.items() if name != "metadata"}


def validate_custom(custom: CustomType, namespaced: bool, document: Document) -> list[FieldError]:
    """Returns what is wrong with a new object."""
    if errors := list(_check_head(custom, document)):
        return errors
    metadata = document["metadata"]
    errors = list(check_metadata(metadata, namespaced, names.subdomain_problems, core=False))
    errors += check_value(custom.schema.raw, document)
    errors += check_scale_spec(custom.scale, document)
    errors += check_scale_status(custom.scale, document)
    errors += check_embedded(document, custom.schema)
    errors += check_lists(document, custom.schema)
    errors += check_rules_unless_blocked(custom, document, None, errors)
    return errors or list(check_common_metadata(metadata, namespaced))


def validate_custom_update(custom: CustomType, namespaced: bool, new: Document, old: Document) -> list[FieldError]:
    """Returns what is wrong with a changed object; errors in unchanged values are ignored."""
    metadata, before = new["metadata"], old["metadata"]
    errors = [*check_common_metadata(metadata, namespaced), *check_metadata_update(metadata, before, core=False)]
    if mistakes := list(_check_head(custom, new)):
        return errors + mistakes
    errors += check_metadata_update(metadata, before, core=False)
    errors += check_value(custom.schema.raw, new, Correlation(new, old, custom.schema))
    errors += check_scale_spec(custom.scale, new)
    errors += check_scale_status(custom.scale, new)
    errors += check_embedded(new, custom.schema)
    errors += _check_new_lists(custom, new, old)
    return errors + check_rules_unless_blocked(custom, new, old, errors)


def validate_custom_status(custom: CustomType, namespaced: bool, new: Document, old: Document) -> list[FieldError]:
    """Returns what is wrong with an object as it is written to the status subresource."""
    metadata, before = new["metadata"], old["metadata"]
    errors = [*check_common_metadata(metadata, namespaced), *check_metadata_update(metadata, before, core=False)]
    errors += _check_head(custom, new)
    schema = custom.schema.properties.get("status")
    if schema is not None and "status" in new:
        correlation = Correlation(new, old, custom.schema).key("status")
        errors += check_value(schema.raw, new["status"], correlation, "status")
    errors += check_scale_status(custom.scale, new)
    errors += _check_new_lists(custom, new, old)
    return errors + check_rules_unless_blocked(custom, new, old, errors)


def custom_warnings(custom: CustomType, new: Document, old: Document | None = None) -> Iterator[str]:
    """Yields warnings: finalizers without a proper name, and errors in unchanged values."""
    if old is not None and custom.rules is not None:
        yield from old_mistakes(custom.rules, custom.schema, new, old)
    before = set((old or {}).get("metadata", {}).get("finalizers") or ())
    for name in sorted(set(new["metadata"].get("finalizers") or ()) - before):
        place = f"metadata.finalizers: {quote(name)}"
        yield from (f"{place}: {problem}" for problem in names.label_key_problems(name))
        if "/" not in name and name not in _FINALIZERS:
            path = " including a path (/)" if "." in name else ""
            yield f"{place}: prefer a domain-qualified finalizer name{path} {_PREFER}"


def _check_head(custom: CustomType, document: Document) -> Iterator[FieldError]:
    for name, wanted in (("kind", custom.kind), ("apiVersion", f"{custom.group}/{custom.version}")):
        if document.get(name) != wanted:
            yield invalid(name, document.get(name, ""), f"must be {wanted}")


def _check_new_lists(custom: CustomType, new: Document, old: Document) -> list[FieldError]:
    return [] if list(check_lists(old, custom.schema)) else list(check_lists(new, custom.schema))


def check_rules_unless_blocked(
    custom: CustomType, new: Document, old: Document | None, errors: Sequence[FieldError]
) -> list[FieldError]:
    """Returns the errors of CEL rules; none are evaluated if other errors make that impossible."""
    if custom.rules is None:
        return []
    if any(error.type in _BLOCKING for error in errors):
        return [FieldError(INVALID, "<nil>", None, _NOT_CHECKED)]
    return check_rules(custom.rules, custom.schema, new, old)
