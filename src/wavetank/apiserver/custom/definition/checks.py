"""Checks of CustomResourceDefinitions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from wavetank.apiserver.custom.definition.conditions import ESTABLISHED, is_true
from wavetank.apiserver.custom.definition.fieldpaths import FieldPathError, follow
from wavetank.apiserver.custom.definition.internal import internal_versions
from wavetank.apiserver.custom.definition.naming import APPROVAL, approval_of, is_protected
from wavetank.apiserver.custom.definition.schemachecks import check_schema
from wavetank.apiserver.custom.definition.strategy import parts_of
from wavetank.apiserver.custom.schema.structural import Document
from wavetank.apiserver.fielderrors import FieldError, duplicate, forbidden, invalid, required, too_many, unsupported
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import Errors, check_immutable
from wavetank.apiserver.validation.metadata import check_metadata, check_metadata_update

_COLUMN_TYPES = ("boolean", "date", "integer", "number", "string")
_COLUMN_FORMATS = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
_SELECTABLE = ("string", "boolean", "integer")
_MOST_SELECTABLE = 8
_LONGEST_WARNING = 256
_MIXED = "may have mixed case, but should otherwise match: "
_CANNOT_PRESERVE = (
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
)
_SHARED = ("schema", "subresources", "additionalPrinterColumns", "selectableFields")


def check_definition(definition: Document) -> Errors:
    """Checks a new definition."""
    spec = definition.get("spec") or {}
    wanted = f"{(spec.get('names') or {}).get('plural', '')}.{spec.get('group', '')}"

    def problems(name: str) -> list[str]:
        ours = [] if name == wanted else ['must be spec.names.plural+"."+spec.group']
        return [*names.subdomain_problems(name), *ours]

    yield from check_metadata(definition["metadata"], False, problems, core=False)
    yield from _check_spec(spec)
    yield from _check_status(definition)
    yield from _check_approval(definition, None)
    if spec.get("preserveUnknownFields"):
        yield invalid("spec.preserveUnknownFields", True, _CANNOT_PRESERVE)


def check_definition_update(new: Document, old: Document) -> Errors:
    """Checks a changed definition."""
    yield from check_metadata_update(new["metadata"], old["metadata"], core=False)
    spec, before = new.get("spec") or {}, old["spec"]
    yield from _check_spec(spec, _unchanged(spec, before))
    if is_true(old, ESTABLISHED):
        yield from check_immutable("spec.scope", spec.get("scope", ""), before["scope"])
        yield from check_immutable("spec.names.kind", spec["names"].get("kind", ""), before["names"]["kind"])
    yield from check_immutable("spec.group", spec.get("group", ""), before["group"])
    yield from check_immutable("spec.names.plural", spec["names"].get("plural", ""), before["names"]["plural"])
    yield from _check_status(new)
    yield from _check_approval(new, old)
    if spec.get("preserveUnknownFields") and not before.get("preserveUnknownFields"):
        yield invalid("spec.preserveUnknownFields", True, _CANNOT_PRESERVE)


def _unchanged(spec: Document, before: Document) -> frozenset[str]:
    """Returns the versions whose schemas are what they were."""
    old = {each.get("name"): each.get("schema") for each in before.get("versions") or ()}
    new = {each.get("name", ""): each.get("schema") for each in spec.get("versions") or ()}
    return frozenset(name for name, schema in new.items() if name in old and old[name] == schema)


def _check_spec(spec: Document, unchanged: frozenset[str] = frozenset()) -> Errors:
    yield from _check_group(spec.get("group", ""))
    yield from _check_word("spec.scope", spec.get("scope", ""), ("Cluster", "Namespaced"))
    versions: list[Document] = spec.get("versions") or []
    shared = {name for name in _SHARED if _is_shared(versions, name)}
    for i, each in enumerate(versions):
        if (each.get("schema") or {}).get("openAPIV3Schema") is None:
            yield required(f"spec.versions[{i}].schema.openAPIV3Schema")
    if spec.get("preserveUnknownFields") and any("default" in part for each in versions for part in _parts(each)):
        why = "must be false in order to use defaults in the schema"
        yield invalid("spec.preserveUnknownFields", True, why)
    for i, each in enumerate(versions):
        own = {key: value for key, value in each.items() if key not in shared}
        has_status = "status" in (each.get("subresources") or {})
        yield from _check_version(own, f"spec.versions[{i}]", has_status, each.get("name") in unchanged)
    yield from _check_versions(versions, shared)
    yield from _check_names(spec.get("names") or {}, "spec.names", complete=True)
    if versions:
        common = {key: value for key, value in versions[0].items() if key in shared}
        any_status = any("status" in (each.get("subresources") or {}) for each in versions)
        yield from _check_common(common, any_status, versions[0].get("name") in unchanged)
    yield from _check_conversion(spec)


def _check_version(version: Document, path: str, has_status: bool, unchanged: bool) -> Errors:
    name = version.get("name", "")
    if problems := names.label_1035_problems(name):
        yield invalid(f"{path}.name", name, ",".join(problems))
    warning = version.get("deprecationWarning")
    for problem in _warning_problems(bool(version.get("deprecated")), warning):
        yield invalid(f"{path}.deprecationWarning", warning, problem)
    schema = (version.get("schema") or {}).get("openAPIV3Schema")
    if schema is not None:
        yield from check_schema(schema, f"{path}.schema", has_status=has_status, unchanged=unchanged)
    yield from _check_rest(version, path, schema)


def _check_common(common: Document, has_status: bool, unchanged: bool) -> Errors:
    """Checks what all versions have in common, which the real server keeps once."""
    schema = (common.get("schema") or {}).get("openAPIV3Schema")
    if schema is not None:
        yield from check_schema(schema, "spec.validation", has_status=has_status, unchanged=unchanged)
    yield from _check_rest(common, "spec", schema)


def check_definition_status(new: Document, old: Document) -> Errors:
    """Checks a definition as it is written to the status subresource."""
    yield from check_metadata_update(new["metadata"], old["metadata"], core=False)
    accepted = (new.get("status") or {}).get("acceptedNames") or {}
    yield from _check_names(accepted, "status.acceptedNames", complete=False)


def _parts(version: Document) -> Iterator[Document]:
    return parts_of((version.get("schema") or {}).get("openAPIV3Schema"))


def _is_shared(versions: Sequence[Document], name: str) -> bool:
    return all((each.get(name) or None) == (versions[0].get(name) or None) for each in versions)


def _check_group(group: str) -> Errors:
    if not group:
        yield required("spec.group")
    elif problems := names.subdomain_problems(group):
        yield invalid("spec.group", group, ",".join(problems))
    elif "." not in group:
        yield invalid("spec.group", group, "should be a domain with at least one dot")


def _check_word(path: str, word: str, words: Sequence[str]) -> Errors:
    if not word:
        yield required(path)
    elif word not in words:
        yield unsupported(path, word, words)


def _check_versions(versions: list[Document], shared: set[str]) -> Errors:
    shown = [{key: value for key, value in each.items() if key not in shared} for each in versions]
    value = internal_versions(shown)
    if len({each.get("name") for each in versions}) < len(versions):
        yield invalid("spec.versions", value, "must contain unique version names")
    if sum(bool(each.get("storage")) for each in versions) != 1:
        yield invalid("spec.versions", value, "must have exactly one version marked as storage version")
    first = versions[0].get("name", "") if versions else ""
    if first and (problems := names.label_1035_problems(first)):
        yield invalid("spec.version", first, ",".join(problems))


def _check_names(stated: Document, path: str, *, complete: bool) -> Errors:
    if complete:
        for name in ("plural", "singular", "kind", "listKind"):
            if not stated.get(name):
                yield required(f"{path}.{name}")
    for name, mixed in (("plural", False), ("singular", False), ("kind", True), ("listKind", True)):
        word = stated.get(name) or ""
        problems = names.label_1035_problems(word.lower() if mixed else word) if word else []
        if problems:
            yield invalid(f"{path}.{name}", word, (_MIXED if mixed else "") + ",".join(problems))
    yield from _check_labels(stated.get("shortNames") or (), f"{path}.shortNames")
    if stated.get("kind") and stated["kind"] == stated.get("listKind"):
        yield invalid(f"{path}.listKind", stated["listKind"], "kind and listKind may not be the same")
    yield from _check_labels(stated.get("categories") or (), f"{path}.categories")


def _check_labels(words: Sequence[str], path: str) -> Errors:
    for i, word in enumerate(words):
        if problems := names.label_1035_problems(word):
            yield invalid(f"{path}[{i}]", word, ",".join(problems))


def _warning_problems(deprecated: bool, warning: str | None) -> Iterator[str]:
    if not deprecated and warning is not None:
        yield "can only be set for deprecated versions"
        return
    if warning is None:
        return
    if len(warning.encode()) > _LONGEST_WARNING:
        yield "must be <= 256 characters long"
    if not warning:
        yield "must not be an empty string"
    for char in warning:
        if not char.isprintable():
            at = len(warning[: warning.index(char)].encode())
            yield f"must only contain printable UTF-8 characters; non-printable character found at index {at}"
            return


def _check_rest(part: Document, path: str, schema: Document | None) -> Errors:
    """Checks the subresources, columns and selectable fields of a version or of all."""
    yield from _check_subresources(part.get("subresources") or {}, f"{path}.subresources")
    for i, each in enumerate(part.get("additionalPrinterColumns") or ()):
        yield from _check_column(each, f"{path}.additionalPrinterColumns[{i}]")
    fields = part.get("selectableFields") or ()
    if fields and schema is None:
        requirement = (
            "`version.schema.openAPIV3Schema` is not included" if path != "spec" else "validations.schema is included"
        )
        yield invalid(f"{path}.selectableFields", "", f"may only be set when {requirement}")
    elif fields and schema is not None:
        yield from _check_selectable(fields, schema, f"{path}.selectableFields")


def _check_column(column: Document, path: str) -> Errors:
    if not column.get("name"):
        yield required(f"{path}.name")
    kinds = f"must be one of {','.join(_COLUMN_TYPES)}"
    if not column.get("type"):
        yield required(f"{path}.type", kinds)
    elif column["type"] not in _COLUMN_TYPES:
        yield invalid(f"{path}.type", column["type"], kinds)
    form = column.get("format")
    if form and form not in _COLUMN_FORMATS:
        yield invalid(f"{path}.format", form, f"must be one of {','.join(_COLUMN_FORMATS)}")
    if not column.get("jsonPath"):
        yield required(f"{path}.JSONPath")
    else:
        yield from _check_simple_path(column["jsonPath"], f"{path}.JSONPath")


def _check_simple_path(text: str, path: str) -> Errors:
    if not text.startswith("."):
        yield invalid(path, text, "must be a simple json path starting with .")


def _check_subresources(subresources: Document, path: str) -> Errors:
    scale = subresources.get("scale")
    if scale is None:
        return
    for name, root in (("specReplicasPath", ".spec."), ("statusReplicasPath", ".status.")):
        text, place = scale.get(name) or "", f"{path}.scale.{name}"
        if not text:
            yield required(place)
        elif errors := list(_check_simple_path(text, place)):
            yield from errors
        elif not text.startswith(root):
            yield invalid(place, text, f"should be a json path under {root[:-1]}")
    text, place = scale.get("labelSelectorPath") or "", f"{path}.scale.labelSelectorPath"
    if text and (errors := list(_check_simple_path(text, place))):
        yield from errors
    elif text and not text.startswith((".spec.", ".status.")):
        yield invalid(place, text, "should be a json path under either .spec or .status")


def _check_selectable(fields: Sequence[Document], schema: Document, path: str) -> Errors:
    seen: set[str] = set()
    for i, each in enumerate(fields):
        text, place = each.get("jsonPath") or "", f"{path}[{i}].jsonPath"
        if not text:
            yield required(place)
            continue
        try:
            found, inner = follow(text, schema, arrays=False)
        except FieldPathError as error:
            yield invalid(place, text, f"is an invalid path: {error}")
            continue
        if found.partition(".")[0] == "metadata":
            yield invalid(place, text, "must not point to fields in metadata")
        if inner.get("type") not in _SELECTABLE:
            why = "must point to a field of type string, boolean or integer."
            yield invalid(place, text, f"{why} Enum string fields and strings with formats are allowed.")
        if found in seen:
            yield duplicate(place, text)
        seen.add(found)
    if len(seen) > _MOST_SELECTABLE:
        yield too_many(path, len(seen), _MOST_SELECTABLE)


def _check_conversion(spec: Document) -> Errors:
    conversion = spec.get("conversion")
    if conversion is None:
        return
    path, strategy = "spec.conversion", conversion.get("strategy", "")
    yield from _check_word(f"{path}.strategy", strategy, ("None", "Webhook"))
    webhook: Document = conversion.get("webhook") or {}
    client, reviews = webhook.get("clientConfig"), webhook.get("conversionReviewVersions") or []
    if strategy != "Webhook":
        why = "should not be set when strategy is not set to Webhook"
        if client is not None:
            yield forbidden(f"{path}.webhookClientConfig", why)
        if reviews:
            yield forbidden(f"{path}.conversionReviewVersions", why)
        return
    if client is None:
        yield required(f"{path}.webhookClientConfig", "required when strategy is set to Webhook")
    elif ("url" in client) == ("service" in client):
        yield required(f"{path}.webhookClientConfig", "exactly one of url or service is required")
    yield from _check_reviews(reviews, f"{path}.conversionReviewVersions")


def _check_reviews(reviews: list[Any], path: str) -> Errors:
    if not reviews:
        yield required(path)
    for i, each in enumerate(reviews):
        if each in reviews[:i]:
            yield invalid(f"{path}[{i}]", each, "duplicate version")
        else:
            yield from (invalid(f"{path}[{i}]", each, problem) for problem in names.label_1035_problems(each))
    if reviews and not {"v1", "v1beta1"} & set(reviews):
        yield invalid(path, reviews, "must include at least one of v1, v1beta1")


def _check_status(definition: Document) -> Errors:
    status = definition.get("status") or {}
    yield from _check_names(status.get("acceptedNames") or {}, "status.acceptedNames", complete=False)
    stored, path = status.get("storedVersions") or [], "status.storedVersions"
    if not stored:
        yield invalid(path, None, "must have at least one stored version")
        return
    versions = (definition.get("spec") or {}).get("versions") or []
    left = {name: i for i, name in enumerate(stored)}
    for each in versions:
        found = left.pop(each.get("name"), None)  # of two with the same name the second finds nothing any more
        if each.get("storage") and found is None:
            yield invalid(path, stored, f"must have the storage version {each.get('name')}")
    for name, i in left.items():
        yield _missing(f"{path}[{i}]", name)


def _missing(path: str, name: str) -> FieldError:
    why = (
        f"missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions until "
        f"a storage migration ensures no data remains persisted in {name} and removes {name} from status.storedVersions"
    )
    return invalid(path, name, why)


def _check_approval(new: Document, old: Document | None) -> Errors:
    if not is_protected((new.get("spec") or {}).get("group", "")):
        return
    state, why = approval_of(new)
    if old is not None and approval_of(old)[0] == state:
        return
    path = f"metadata.annotations[{APPROVAL}]"
    if state == "Missing":
        yield required(path, why)
    elif state == "Invalid":
        yield invalid(path, (new["metadata"].get("annotations") or {}).get(APPROVAL, ""), why)
