"""What we say of definitions and objects, in the form in which the real code's answers are kept."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from wavetank.apiserver.codec.mismatch import UnreadableError
from wavetank.apiserver.custom.customtype import CustomType
from wavetank.apiserver.custom.definition.checks import check_definition
from wavetank.apiserver.custom.rules import RuleNode
from wavetank.apiserver.custom.schema.correlation import Correlation
from wavetank.apiserver.custom.schema.embedded import check_embedded
from wavetank.apiserver.custom.schema.listtypes import check_lists
from wavetank.apiserver.custom.schema.structural import Structural
from wavetank.apiserver.custom.schema.values import check_value
from wavetank.apiserver.custom.strategy import check_rules_unless_blocked
from wavetank.apiserver.defaulting.defaults import set_defaults
from wavetank.apiserver.fielderrors import TYPE_INVALID, FieldError
from wavetank.apiserver.kinds import Kind, KindTable

Document = dict[str, Any]


@cache
def definition_kind() -> Kind:
    found = KindTable.builtin().named("apiextensions.k8s.io/v1", "CustomResourceDefinition")
    assert found is not None
    return found


def judge(request: Document) -> Document:
    """Answers a request to the oracle as we see it."""
    return judge_definition(request) if "definition" in request else judge_object(request)


def judge_definition(request: Document) -> Document:
    definition = json.loads(json.dumps(request["definition"]))
    set_defaults(definition_kind(), definition)
    return {"errors": texts(check_definition(definition))}


def judge_object(request: Document) -> Document:
    schema = Structural.read(request["schema"])
    rules = RuleNode.of(schema, root=True)
    custom = CustomType("g.io", "v1", "K", "KList", "v1", {"v1": schema}, rules=rules)
    try:
        new, unknown = custom.read(request["object"])
        old = custom.read(request["old"])[0] if "old" in request else None
    except UnreadableError as error:
        return {"failure": str(error)}
    correlation = Correlation(new, old, schema) if old is not None else None
    errors = [*check_value(request["schema"], new, correlation), *check_embedded(new, schema)]
    if old is None or not list(check_lists(old, schema)):
        errors += check_lists(new, schema)
    errors += check_rules_unless_blocked(custom, new, old, errors)
    told: Document = {"errors": texts(errors)}
    return {**told, **({"unknown": unknown} if unknown else {}), "object": new}


def texts(errors: Any) -> list[str]:
    return sorted({_text(error) for error in errors})


def _text(error: FieldError) -> str:
    kind = "Invalid value" if error.type == TYPE_INVALID else error.type
    return f"{kind}|{error}"


def comparable(answer: Document) -> Document:
    """Returns an answer without what may differ: costs, which are not estimated here, and random names of types."""
    if "failure" in answer:
        return {"failure": answer["failure"]}
    shown = {re.sub(r"selfType\d+", "selfType", text) for text in answer["errors"] if "cost" not in text}
    return {**answer, "errors": sorted(shown)}
