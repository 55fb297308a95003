from __future__ import annotations

import string
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavetank.cluster.fields.labels import indexed
from wavetank.cluster.fields.selectors import (
    EVERYTHING,
    NOTHING,
    LabelSelector,
    NodeSelector,
    NodeSelectorTerm,
    Requirement,
    parse_selector_text,
)
from wavetank.errors import InputError

POD = {"app": "web", "tier": "front", "replicas": "3", "empty": ""}
NODE = {"zone": "a", "gpus": "8", "padded": "007", "version": "3.5"}

NAMES = st.text(string.ascii_lowercase, min_size=1, max_size=3)
LABELS = st.dictionaries(NAMES, NAMES, max_size=4)
WORDS = ["matchLabels", "matchExpressions", "matchFields", "nodeSelectorTerms", "key", "operator", "values"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.sampled_from(["In", "Exists", "Gt"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner),
)


def where(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


def named(operator: str, *values: str, key: str = "metadata.name") -> dict[str, Any]:
    return {"matchFields": [{"key": key, "operator": operator, "values": list(values)}]}


def any_of(*terms: dict[str, Any]) -> dict[str, Any]:
    return {"nodeSelectorTerms": list(terms)}


def refusal(parse: Callable[[Any], object], raw: object) -> InputError | None:
    try:
        hash(parse(raw))
    except InputError as error:
        return error
    return None


CONTRADICTION = {"matchFields": named("In", "n1")["matchFields"] + named("In", "n2")["matchFields"]}


@pytest.mark.parametrize(
    ("selector", "matches"),
    [
        pytest.param(None, False, id="no selector selects nothing"),
        pytest.param({}, True, id="an empty selector selects everything"),
        pytest.param({"matchLabels": None, "matchExpressions": None}, True, id="null is as good as empty"),
        pytest.param({"matchLabels": {"app": "web"}}, True, id="the label has the value"),
        pytest.param({"matchLabels": {"app": "db"}}, False, id="the label has another value"),
        pytest.param({"matchLabels": {"owner": ""}}, False, id="a missing label is not an empty one"),
        pytest.param({"matchLabels": {"empty": ""}}, True, id="an empty label is an empty one"),
        pytest.param({"matchLabels": {"app": "web", "tier": "back"}}, False, id="all labels must match"),
        pytest.param(where("app", "In", "db", "web"), True, id="In"),
        pytest.param(where("owner", "In", "me"), False, id="In needs the label"),
        pytest.param(where("app", "NotIn", "web"), False, id="NotIn"),
        pytest.param(where("owner", "NotIn", "me"), True, id="NotIn holds without the label"),
        pytest.param(where("app", "Exists"), True, id="Exists"),
        pytest.param(where("owner", "Exists"), False, id="Exists needs the label"),
        pytest.param(where("app", "DoesNotExist"), False, id="DoesNotExist"),
        pytest.param(where("owner", "DoesNotExist"), True, id="DoesNotExist holds without the label"),
        pytest.param(
            {"matchLabels": {"app": "web"}, **where("tier", "NotIn", "front")},
            False,
            id="labels and expressions must both match",
        ),
    ],
)
def test_a_label_selector_selects(selector: object, matches: bool) -> None:
    assert LabelSelector.parse(selector).matches(POD) is matches


@pytest.mark.parametrize(
    ("selector", "path"),
    [
        pytest.param([], "", id="not an object"),
        pytest.param({"matchLabels": ["app"]}, "matchLabels", id="labels are no object"),
        pytest.param({"matchLabels": {"app": 1}}, "matchLabels", id="a number as a value"),
        pytest.param({"matchLabels": {"-app": "web"}}, "matchLabels", id="a bad key"),
        pytest.param({"matchLabels": {"app": "web shop"}}, "matchLabels", id="a bad value"),
        pytest.param({"matchExpressions": {}}, "matchExpressions", id="expressions are no list"),
        pytest.param({"matchExpressions": ["app"]}, "matchExpressions[0]", id="an expression is no object"),
        pytest.param(where("", "Exists"), "matchExpressions[0].key", id="no key"),
        pytest.param({"matchExpressions": [{"key": "a"}]}, "matchExpressions[0].operator", id="no operator"),
        pytest.param(where("a", "Gt", "1"), "matchExpressions[0].operator", id="Gt is for nodes only"),
        pytest.param(where("a", "In"), "matchExpressions[0].values", id="In without values"),
        pytest.param(where("a", "Exists", "b"), "matchExpressions[0].values", id="Exists with a value"),
        pytest.param(where("a", "In", "b", "c d"), "matchExpressions[0].values[1]", id="a bad second value"),
    ],
)
def test_a_bad_label_selector_is_refused_with_its_path(selector: object, path: str) -> None:
    error = refusal(LabelSelector.parse, selector)
    assert error is not None
    assert error.path == path


def test_the_path_of_the_document_goes_in_front() -> None:
    with pytest.raises(InputError, match=r"^spec\.selector\.matchExpressions\[0\]\.operator: 'in' is unknown"):
        LabelSelector.parse(where("a", "in", "b"), path="spec.selector")


@pytest.mark.parametrize(
    ("key", "valid"),
    [
        pytest.param("app", True, id="a name"),
        pytest.param("App_1.x-y", True, id="inner punctuation"),
        pytest.param("example.com/app", True, id="a DNS prefix"),
        pytest.param("a" * 63, True, id="63 characters"),
        pytest.param("a" * 64, False, id="64 characters"),
        pytest.param("a." * 126 + "a/app", True, id="a prefix of 253 characters"),
        pytest.param("a." * 126 + "aa/app", False, id="a prefix of 254 characters"),
        pytest.param("", False, id="nothing"),
        pytest.param("/app", False, id="an empty prefix"),
        pytest.param("example.com/", False, id="an empty name"),
        pytest.param("a/b/c", False, id="two slashes"),
        pytest.param("Example.com/app", False, id="capitals in the prefix"),
        pytest.param("app-", False, id="punctuation at the end"),
        pytest.param("app\n", False, id="a line break at the end"),
        pytest.param("appé", False, id="a letter beyond ASCII"),
    ],
)
def test_label_keys_follow_the_syntax(key: str, valid: bool) -> None:
    assert (refusal(LabelSelector.parse, {"matchLabels": {key: "x"}}) is None) is valid


def test_selectors_of_equal_meaning_are_equal_and_share_a_cache_key() -> None:
    one = LabelSelector.parse({"matchLabels": {"a": "x"}, **where("b", "In", "y", "z")})
    other = LabelSelector.parse({"matchLabels": {"a": "x"}, **where("b", "In", "z", "y", "z")})
    assert one == other == parse_selector_text("b in (z,y), a=x")
    assert {one: "cached"}[other] == "cached"
    assert one != LabelSelector.parse({"matchLabels": {"a": "x"}})


def test_nothing_and_everything_are_opposites() -> None:
    assert LabelSelector.parse(None) is NOTHING
    assert LabelSelector.parse({}) == EVERYTHING != NOTHING


@given(LABELS, LABELS)
def test_labels_select_objects_that_carry_them_all(wanted: dict[str, str], labels: dict[str, str]) -> None:
    selector = LabelSelector.parse({"matchLabels": wanted})
    assert selector.matches({**labels, **wanted})
    assert selector.matches(labels) is (wanted.items() <= labels.items())


@given(NAMES, st.frozensets(NAMES, min_size=1), LABELS)
def test_an_operator_and_its_negation_never_agree(key: str, values: frozenset[str], labels: dict[str, str]) -> None:
    assert Requirement(key, "In", values).matches(labels) != Requirement(key, "NotIn", values).matches(labels)
    assert Requirement(key, "Exists").matches(labels) != Requirement(key, "DoesNotExist").matches(labels)


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        pytest.param("", True, id="no text selects everything"),
        pytest.param(" \t\r\n", True, id="blanks select everything"),
        pytest.param("app=web", True, id="equals"),
        pytest.param("app==web", True, id="double equals"),
        pytest.param(" app = web , tier = front ", True, id="blanks do not matter"),
        pytest.param("app!=web", False, id="not equals"),
        pytest.param("owner!=me", True, id="not equals holds without the label"),
        pytest.param("app in (db,web)", True, id="in"),
        pytest.param("app in( db , web )", True, id="in with blanks"),
        pytest.param("app notin (web)", False, id="notin"),
        pytest.param("app", True, id="exists"),
        pytest.param("!app", False, id="does not exist"),
        pytest.param("! owner", True, id="does not exist with a blank"),
        pytest.param("empty=", True, id="no value is the empty value"),
        pytest.param("empty in ()", True, id="no values are the empty value"),
        pytest.param("empty in (,web)", True, id="a gap is the empty value"),
        pytest.param("replicas>2", True, id="greater"),
        pytest.param("replicas > 3", False, id="greater is strict"),
        pytest.param("replicas<4,replicas>2", True, id="between"),
        pytest.param("app>1", False, id="what is no number is not greater"),
        pytest.param("owner<1", False, id="what is missing is not less"),
        pytest.param("in notin (in)", True, id="keywords may be keys and values"),
        pytest.param("app=web,tier in (front,back),replicas!=4,empty,!owner", True, id="all at once"),
    ],
)
def test_a_selector_text_selects(text: str, matches: bool) -> None:
    assert parse_selector_text(text).matches(POD) is matches


@pytest.mark.parametrize(
    "text",
    [
        "a,",
        ",a",
        "a,,b",
        ",",
        "=b",
        "!",
        "!a=b",
        "a!",
        "a===b",
        "a=b=c",
        "a=b/c",
        "a/b/c=d",
        "a>=1",
        "a>x",
        "a>",
        "a>1.5",
    ],
)
def test_a_bad_selector_text_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="expected"):
        parse_selector_text(text)


@pytest.mark.parametrize(
    "text", ["a b", "a in", "a in b", "a in (b", "a in b)", "a in (b c)", "a in (b)(c)", "ain (b)", "(a)"]
)
def test_a_bad_set_in_a_selector_text_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="expected"):
        parse_selector_text(text)


@given(text=st.text() | st.text(alphabet="ab1=!<>(), \tinot\\.-/"))
def test_any_text_is_a_selector_or_an_input_error(text: str) -> None:
    assert "\n" not in str(refusal(parse_selector_text, text))


@pytest.mark.parametrize(
    ("selector", "matches"),
    [
        pytest.param(any_of({}), False, id="an empty term matches no node"),
        pytest.param(any_of({}, named("In", "n1")), True, id="an empty term does not hide the others"),
        pytest.param(any_of(where("zone", "In", "a")), True, id="In"),
        pytest.param(any_of(where("zone", "NotIn", "a")), False, id="NotIn"),
        pytest.param(any_of(where("zone", "Exists")), True, id="Exists"),
        pytest.param(any_of(where("rack", "DoesNotExist")), True, id="DoesNotExist"),
        pytest.param(any_of(where("gpus", "Gt", "7")), True, id="Gt"),
        pytest.param(any_of(where("gpus", "Gt", "8")), False, id="Gt is strict"),
        pytest.param(any_of(where("gpus", "Lt", "10")), True, id="Lt compares numbers, not letters"),
        pytest.param(any_of(where("rack", "Lt", "1")), False, id="Lt needs the label"),
        pytest.param(any_of(where("padded", "Lt", "8")), True, id="007 is 7"),
        pytest.param(any_of(where("version", "Gt", "1")), False, id="a label of 3.5 never compares"),
        pytest.param(any_of(where("gpus", "Gt", "3.5")), False, id="a bound of 3.5 never compares"),
        pytest.param(any_of(where("gpus", "Lt", "9" * 20)), False, id="a bound beyond int64 never compares"),
        pytest.param(any_of(named("In", "n1")), True, id="its name"),
        pytest.param(any_of(named("In", "n2")), False, id="another name"),
        pytest.param(any_of(named("NotIn", "n1")), False, id="any name but its own"),
        pytest.param(any_of({**named("In", "n1"), **where("zone", "In", "b")}), False, id="name, not labels"),
        pytest.param(any_of(named("In", "n2"), where("zone", "In", "a")), True, id="one term is enough"),
    ],
)
def test_a_node_selector_selects(selector: object, matches: bool) -> None:
    assert NodeSelector.parse(selector).matches(NODE, "n1") is matches


@pytest.mark.parametrize(
    ("selector", "names"),
    [
        pytest.param(any_of(named("In", "n1")), {"n1"}, id="one name"),
        pytest.param(any_of(named("In", "n1"), named("In", "n2")), {"n1", "n2"}, id="terms are ORed"),
        pytest.param(any_of(CONTRADICTION), set(), id="a contradiction leaves no node"),
        pytest.param(any_of(CONTRADICTION, named("In", "n3")), {"n3"}, id="or the other term's"),
        pytest.param(any_of({**named("In", "n1"), **where("a", "Exists")}), {"n1"}, id="labels do not matter"),
        pytest.param(any_of(named("In", "n1"), where("a", "Exists")), None, id="a term of labels pins nothing"),
        pytest.param(any_of(named("In", "n1"), {}), None, id="an empty term pins nothing"),
        pytest.param(any_of(named("NotIn", "n1")), None, id="NotIn pins nothing"),
    ],
)
def test_a_node_selector_knows_the_names_it_pins(selector: object, names: set[str] | None) -> None:
    assert NodeSelector.parse(selector).names == names


@pytest.mark.parametrize(
    ("term", "path"),
    [
        pytest.param({"matchFields": 1}, "matchFields", id="not a list"),
        pytest.param(where("a", "Gte", "1"), "matchExpressions[0].operator", id="unknown operator"),
        pytest.param(where("a", "Gt", "1", "2"), "matchExpressions[0].values", id="Gt of two values"),
        pytest.param(named("In", "a", key="metadata.uid"), "matchFields[0].key", id="another field"),
        pytest.param(named("Exists"), "matchFields[0].operator", id="an operator that fields do not have"),
        pytest.param(named("In", "a", "b"), "matchFields[0].values", id="two names in one field"),
        pytest.param(named("In", "N1"), "matchFields[0].values[0]", id="no node can have that name"),
    ],
)
def test_a_bad_node_selector_is_refused_with_its_path(term: dict[str, Any], path: str) -> None:
    error = refusal(NodeSelector.parse, any_of({}, term))
    assert error is not None
    assert error.path == f"nodeSelectorTerms[1].{path}"


def test_a_node_selector_needs_a_term() -> None:
    with pytest.raises(InputError, match=r"^nodeSelectorTerms: .* expected at least one term"):
        NodeSelector.parse(any_of())


def test_a_term_stands_alone_for_preferences() -> None:
    term = NodeSelectorTerm.parse(where("zone", "In", "a"))
    assert term.matches(NODE, "n1")
    assert not term.matches({}, "n1")


def test_node_selectors_of_equal_meaning_are_equal() -> None:
    one, other = named("In", "n1"), named("In", "n2")
    assert {NodeSelector.parse(any_of(one, other))} == {NodeSelector.parse(any_of(other, one, other))}


@pytest.mark.parametrize("parse", [LabelSelector.parse, NodeSelector.parse, NodeSelectorTerm.parse])
@given(raw=JSON)
def test_any_json_is_a_selector_or_an_input_error(parse: Callable[[object], object], raw: object) -> None:
    assert "\n" not in str(refusal(parse, raw))


@pytest.mark.parametrize(
    ("change", "matches"),
    [({}, True), ({"k7": "other"}, False), ({"k8": None}, False), ({"free": "x"}, False), ({"more": "y"}, True)],
    ids=["all", "another value", "a missing label", "an expression fails", "a label more"],
)
def test_a_selector_of_very_many_labels(change: dict[str, str | None], matches: bool) -> None:
    labels = {f"k{i}": "v" for i in range(2000)}
    expressions = [
        {"key": "free", "operator": "DoesNotExist"},
        {"key": "k1", "operator": "In", "values": ["v"]},
        {"key": "k2", "operator": "In", "values": ["v", "w"]},
    ]
    selector = LabelSelector.parse({"matchLabels": labels, "matchExpressions": expressions})
    present = {key: value for key, value in {**labels, **change}.items() if value is not None}
    assert selector.matches(indexed(present)) is matches
    assert selector.matches(present) is matches


def test_selectors_of_very_many_labels_are_compared() -> None:
    labels = {f"k{i}": "v" for i in range(2000)}
    absent = [{"key": "free", "operator": "DoesNotExist"}]

    def parse(labels: dict[str, str], expressions: object) -> LabelSelector:
        return LabelSelector.parse({"matchLabels": labels, "matchExpressions": expressions})

    turned = dict(reversed(labels.items()))
    assert parse(labels, absent) == parse(turned, absent)
    assert hash(parse(labels, absent)) == hash(parse(turned, absent))
    others = [parse(labels, []), parse({**labels, "k7": "other"}, absent), parse({"a": "b"}, absent), EVERYTHING]
    assert all(parse(labels, absent) != other for other in others)


def test_very_many_requirements_without_a_value_are_met() -> None:
    expressions = [{"key": f"k{i}", "operator": "Exists"} for i in range(2000)]
    selector = LabelSelector.parse({"matchExpressions": expressions})
    labels = {f"k{i}": str(i) for i in range(2000)}
    assert selector.matches(indexed(labels))
    assert not selector.matches({})
