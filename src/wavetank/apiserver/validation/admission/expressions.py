"""CEL expressions of webhooks and policies, compiled as the real server does before it stores them."""

from __future__ import annotations

from collections.abc import Mapping

from wavetank.apiserver.fielderrors import duplicate, invalid, required, too_many
from wavetank.apiserver.validation import names
from wavetank.apiserver.validation.errors import Document, Errors, each_invalid
from wavetank.cel.checker import Checked
from wavetank.cel.syntax import ExpressionError
from wavetank.cel.types import BOOL, DYN, STRING, Type, list_of, map_of

_MOST_CONDITIONS = 64
_KIND = Type("kubernetes.GroupVersionKind", fields=dict.fromkeys(("group", "version", "kind"), STRING))
_RESOURCE = Type("kubernetes.GroupVersionResource", fields=dict.fromkeys(("group", "version", "resource"), STRING))
_USER = Type(
    "kubernetes.UserInfo",
    fields={
        "username": STRING,
        "uid": STRING,
        "groups": list_of(STRING),
        "extra": map_of(STRING, list_of(STRING)),
    },
)
_TEXTS = ("name", "namespace", "operation", "requestSubResource", "subResource")
_REQUEST = Type(
    "kubernetes.AdmissionRequest",
    fields={
        **dict.fromkeys(_TEXTS, STRING),
        **dict.fromkeys(("kind", "requestKind"), _KIND),
        **dict.fromkeys(("resource", "requestResource"), _RESOURCE),
        "dryRun": BOOL,
        "options": DYN,
        "userInfo": _USER,
    },
)
# What expressions of webhooks and policies may speak of.
REQUEST_VARIABLES: Mapping[str, Type] = {"object": DYN, "oldObject": DYN, "request": _REQUEST}
AUTHORIZER = {"authorizer": Type("Authorizer", fields={"requestResource": Type("ResourceCheck")})}


def variables_of(*, params: bool = False, namespace: bool = False) -> dict[str, Type]:
    """Returns the variables of an expression, with the parameters of a policy and the namespace of the object."""
    more = {"params": DYN} if params else {}
    return {**REQUEST_VARIABLES, **more, **({"namespaceObject": DYN} if namespace else {})}


def check_expression(expression: str, path: str, variables: Mapping[str, Type], *results: Type) -> Errors:
    """Checks that an expression can be compiled, and that it has one of the types, which is not known in advance."""
    try:
        found = Checked(expression, variables).type
    except ExpressionError as error:
        yield invalid(path, expression, f"compilation failed: {error}")
        return
    if found not in (*results, DYN):
        wanted = results[0] if len(results) == 1 else " or ".join(map(str, results))
        yield invalid(path, expression, f"must evaluate to {wanted}")


def check_conditions(conditions: list[Document], path: str, variables: Mapping[str, Type]) -> Errors:
    """Checks the matchConditions of a webhook or a policy."""
    if len(conditions) > _MOST_CONDITIONS:
        yield too_many(path, len(conditions), _MOST_CONDITIONS)
    seen: set[str] = set()
    for index, condition in enumerate(conditions):
        where, name = f"{path}[{index}]", condition.get("name") or ""
        expression = (condition.get("expression") or "").strip()
        if not expression:
            yield required(f"{where}.expression")
        else:
            yield from check_expression(expression, f"{where}.expression", variables, BOOL)
        if not name:
            yield required(f"{where}.name")
        else:
            yield from each_invalid(f"{where}.name", name, names.label_key_problems(name))
            if name in seen:
                yield duplicate(f"{where}.name", name)
            seen.add(name)
