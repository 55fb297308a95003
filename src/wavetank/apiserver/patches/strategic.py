"""Strategic merge patches: lists merge by the keys that the kinds' types declare, and directives say the rest."""

from __future__ import annotations

from typing import Any, NoReturn

from wavetank.apiserver.errors import bad_request, plain
from wavetank.apiserver.patches.elementorder import check_order, key_of, ordered, position
from wavetank.apiserver.patches.refusal import go_value, no_merge_key, rejected, unexpected, unknown_directive
from wavetank.apiserver.schemas.schema import Schema

_DIRECTIVE = "$patch"
_RETAIN = "$retainKeys"
_ORDER = "$setElementOrder"
_DELETE = "$deleteFromPrimitiveList"
_KINDS = {"array": "slice", "integer": "int64", "boolean": "bool", "number": "float64", "any": "struct"}

Document = dict[str, Any]


def merge_strategically(schema: Schema, document: Document, patch: Document) -> Document:
    """Returns `document` changed by `patch`; neither is changed itself.

    Raises what the real server answers: 400 for malformed directives, 422 for lists of lists, and 500 where a list's
    element has no merge key, a $patch is unknown or an order does not fit.
    """
    if _DIRECTIVE in patch:
        return _directed(patch)
    merged = _retained(document, patch)
    handled = _apply_orders(schema, merged, patch)
    for key, value in patch.items():
        if key not in handled and key != _RETAIN:
            _merge_field(schema, merged, key, value)
    return merged


def _directed(patch: Document) -> Document:
    directive = patch[_DIRECTIVE]
    if directive == "replace":
        return {key: value for key, value in patch.items() if key != _DIRECTIVE}
    if directive == "delete":
        return {}
    raise unknown_directive(directive, patch)


def _retained(document: Document, patch: Document) -> Document:
    """Returns a copy with only the keys that $retainKeys lists, which has to list those of the patch too."""
    if _RETAIN not in patch:
        return dict(document)
    keys = patch[_RETAIN]
    if not isinstance(keys, list):
        raise bad_request("invalid patch format of retainKeys")
    for key, value in patch.items():
        if key != _RETAIN and value is not None and not key.startswith((_DELETE, _ORDER)) and key not in keys:
            raise bad_request("invalid patch format of retainKeys")
    return {key: value for key, value in document.items() if key in keys}


def _apply_orders(schema: Schema, merged: Document, patch: Document) -> set[str]:
    """Merges the lists that have a $setElementOrder; returns the keys of the patch that are done by that."""
    done: set[str] = set()
    for key, order in patch.items():
        if key.startswith(_ORDER):
            name = _field_of(key, _ORDER, "invalid patch format of setElementOrder list")
            done |= {key, name} if _apply_order(schema, merged, name, patch, order) else {key}
    return done


def _apply_order(schema: Schema, merged: Document, name: str, patch: Document, order: Any) -> bool:
    current, added = merged.get(name), patch.get(name)
    for each in (order, current if name in merged else [], added if name in patch else []):
        if not isinstance(each, list):
            raise unexpected("[]interface {}", each)
    field = _list_field(schema, name)
    check_order(added or [], order, field.merge_key)
    if current is None and added is None:
        return False
    if _check_elements(current or [], added or [], empty_is_wrong=True) and not field.merge_key:
        raise no_merge_key((current or added or [])[0], "")
    if added is None:
        result = current
    elif current is None:
        result = _stripped(added)
    else:
        result = _merge_list(field, current, added)
    merged[name] = ordered(result or [], order, current or [], field.merge_key)
    return True


def _merge_field(schema: Schema, merged: Document, key: str, value: Any) -> None:
    deleting = key.startswith(_DELETE)
    if deleting:
        key = _field_of(key, _DELETE, "invalid patch format of primitive list")
    if value is None:
        merged.pop(key, None)
        return
    current = merged.get(key)
    if key in merged and type(current) is type(value):
        merged[key] = _merge_value(schema, key, current, value, deleting)
    elif not deleting:
        merged[key] = _stripped(_without_nulls(value))
        if merged[key] is _DROPPED:
            del merged[key]


def _merge_value(schema: Schema, key: str, current: Any, value: Any, deleting: bool) -> Any:
    if isinstance(value, dict):
        field = _field(schema, key)
        return value if "replace" in field.patch_strategy else merge_strategically(field, current, value)
    if not isinstance(value, list):
        return value
    field = _list_field(schema, key)
    if deleting:
        return [each for each in current if position(value, each, "") < 0]
    return _merge_list(field, current, value)


def _merge_list(field: Schema, current: list[Any], patch: list[Any]) -> list[Any]:
    if "merge" not in field.patch_strategy:
        return patch
    if not current and not patch:
        return current
    if not _check_elements(current, patch):
        both = [*current, *patch]
        unique = [each for index, each in enumerate(both) if position(both, each, "") == index]
        return ordered(unique, patch, current, "")
    assert field.items is not None
    if not field.merge_key:
        raise plain(f"cannot merge lists without merge key for {_go_kind(field.items)}")
    current, patch = _apply_element_directives(current, patch, field.merge_key)
    return ordered(_merge_elements(field, current, patch), patch, current, field.merge_key)


def _apply_element_directives(current: list[Any], patch: list[Any], key: str) -> tuple[list[Any], list[Any]]:
    """Returns what is left of both lists after the elements with a $patch have had their effect."""
    plain_elements = [each for each in patch if _DIRECTIVE not in each]
    replacing = False
    for element in patch:
        directive = element.get(_DIRECTIVE, "")
        if directive == "delete":
            if key not in element:
                raise no_merge_key(element, key)
            current = [each for each in current if position([element], each, key) < 0]
        elif directive == "merge":
            raise plain("merging lists cannot yet be specified in the patch")
        elif directive == "replace":
            replacing = True
        elif _DIRECTIVE in element:
            raise unknown_directive(directive, element)
    return (plain_elements, []) if replacing else (current, plain_elements)


def _merge_elements(field: Schema, current: list[Any], patch: list[Any]) -> list[Any]:
    merged = list(current)
    assert field.items is not None
    for element in patch:
        if field.merge_key not in element:
            raise no_merge_key(element, field.merge_key)
        at = position(merged, element, field.merge_key)
        if at >= 0 and key_of(merged[at], field.merge_key) is not None:
            merged[at] = merge_strategically(field.items, merged[at], element)
        else:
            merged.append(element)
    return merged


def _check_elements(current: list[Any], patch: list[Any], empty_is_wrong: bool = False) -> bool:
    """Says whether two lists, which must have elements of one type, are lists of objects."""
    types = {type(each) for each in [*current, *patch]}
    if list in types:
        raise rejected()
    if len(types) > 1 or type(None) in types:
        raise plain(f"list element types are not identical: {go_value([current, patch])}")
    if not types and empty_is_wrong:
        raise plain("no elements in any of the given slices")
    return types == {dict}


def _field(schema: Schema, key: str) -> Schema:
    if schema.type != "object":
        _refuse_structure(schema)
    if key not in schema.fields:
        structure = schema.go_type.rpartition(".")[2]
        raise plain(f'unable to find api field in struct {structure} for the json field "{key}"')
    return schema.fields[key]


def _refuse_structure(schema: Schema) -> NoReturn:
    raise plain(f"merging an object in json but data type is not struct, instead is: {_go_kind(schema)}")


def _list_field(schema: Schema, key: str) -> Schema:
    field = _field(schema, key)
    if field.type != "array":
        raise plain("expected slice or array type, but got: struct")
    return field


def _go_kind(schema: Schema) -> str:
    return "struct" if schema.type == "object" else _KINDS.get(schema.type, schema.type)


def _field_of(key: str, prefix: str, mistake: str) -> str:
    found, slash, name = key.partition("/")
    if found != prefix or not slash:
        raise bad_request(mistake)
    return name


_DROPPED = object()


def _stripped(value: Any) -> Any:
    """Returns a value that is new to the document without directives; what is nothing but a directive is dropped."""
    if isinstance(value, dict):
        if _DIRECTIVE in value:
            return _DROPPED
        kept = {key: _stripped(each) for key, each in value.items()}
        return {key: each for key, each in kept.items() if each is not _DROPPED}
    if isinstance(value, list):
        return [kept for each in value if (kept := _stripped(each)) is not _DROPPED]
    return value


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(each) for key, each in value.items() if each is not None}
    if isinstance(value, list):
        return [_without_nulls(each) for each in value]
    return value
