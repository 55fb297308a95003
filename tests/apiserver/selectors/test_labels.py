from __future__ import annotations

import pytest

from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.selectors.labels import parse_labels


@pytest.mark.parametrize(
    ("selector", "labels", "selected"),
    [
        ("app=web", {"app": "web"}, True),
        ("app==web", {"app": "db"}, False),
        ("app!=web", {}, True),
        ("app", {"app": ""}, True),
        ("!app", {"app": ""}, False),
        ("app in (web, db)", {"app": "db"}, True),
        ("app notin (web,db)", {"app": "db"}, False),
        ("app in ()", {"app": ""}, True),
        ("app in (,web)", {"app": ""}, True),
        ("in in (in, notin)", {"in": "notin"}, True),
        ("app=", {"app": ""}, True),
        ("age>3", {"age": "4"}, True),
        ("age<3", {"age": "x"}, False),
        ("app=web,tier", {"app": "web"}, False),
        ("example.com/app=web", {"example.com/app": "web"}, True),
        (" app = web , tier ", {"app": "web", "tier": "1"}, True),
    ],
)
def test_a_selector_selects(selector: str, labels: dict[str, str], selected: bool) -> None:
    assert parse_labels(selector).matches(labels) == selected


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        ("a b c", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        ("a,", "found '', expected: identifier after ','"),
        (",a", "found ',', expected: !, identifier, or 'end of string'"),
        ("a=b=c", "found '=', expected: ',' or 'end of string'"),
        ("!a=b", "found '=', expected: ',' or 'end of string'"),
        ("a in b", "unable to parse requirement: found 'b' expected: '('"),
        ("a in (b", "unable to parse requirement: found '', expected: ',' or ')'"),
        ("a=(", "unable to parse requirement: found '(', expected: identifier"),
        ("!=a", "found '!=', expected: !, identifier, or 'end of string'"),
        ("a>b", "for 'Gt', 'Lt' operators, the value must be an integer"),
        ("a=-x", 'values[0][a]: Invalid value: "-x": a valid label must be an empty string or consist of'),
        ("-a=x", '<nil>: Invalid value: "-a": name part must consist of alphanumeric characters'),
    ],
)
def test_a_bad_selector_is_refused_in_the_real_servers_words(selector: str, message: str) -> None:
    with pytest.raises(StatusError) as caught:
        parse_labels(selector)
    assert caught.value.code == 400
    assert message in str(caught.value)
