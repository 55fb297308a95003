"""Values of CEL expressions, as the language and Kubernetes' libraries for it define them."""

from __future__ import annotations

import pytest

from wavetank.cel.evaluation import evaluate
from wavetank.cel.parser import parse
from wavetank.cel.values import EvaluationError


def value_of(expression):
    return evaluate(parse(expression), {})


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1 + 2 * 3", 7),
        ("7 / 2", 3),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("7.0 / 2.0", 3.5),
        ("'a' + 'b'", "ab"),
        ("[1] + [2]", [1, 2]),
        ("2 in [1, 2]", True),
        ("'a' in {'a': 1}", True),
        ("{'a': 1}.a", 1),
        ("1 == 1.0", True),
        ("1 < 2 && 'a' < 'b'", True),
        ("true || 1 / 0 == 1", True),
        ("false && 1 / 0 == 1", False),
        ("1 / 0 == 1 || true", True),
        ("true ? 1 : 1 / 0", 1),
        ("has({'a': 1}.a) && !has({'a': 1}.b)", True),
    ],
)
def test_operators(expression, expected):
    assert value_of(expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("size('äöü')", 3),
        ("size([1, 2])", 2),
        ("int('12') + int(2.9) + int(timestamp('1970-01-01T00:00:01Z'))", 15),
        ("double('1.5')", 1.5),
        ("string(12) + string(true) + string(1.5)", "12true1.5"),
        ("bool('t')", True),
        ("type(1) == int && type('a') == string && type([]) == list", True),
        ("bytes('ab') == b'ab'", True),
        ("string(duration('90s'))", "90s"),
        ("duration('1h30m') > duration('89m')", True),
        ("timestamp('2030-01-02T03:04:05Z').getHours()", 3),
        ("timestamp('2030-01-01T00:00:00Z') + duration('1h') == timestamp('2030-01-01T01:00:00Z')", True),
    ],
)
def test_conversions(expression, expected):
    assert value_of(expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("'tacocat'.charAt(3)", "o"),
        ("'tacocat'.indexOf('ac')", 1),
        ("'tacocat'.indexOf('a', 3)", 5),
        ("'tacocat'.indexOf('x')", -1),
        ("'tacocat'.lastIndexOf('a')", 5),
        ("'TaCo'.lowerAscii() + 'taco'.upperAscii()", "tacoTACO"),
        ("'hello hello'.replace('he', 'we')", "wello wello"),
        ("'hello hello'.replace('he', 'we', 1)", "wello hello"),
        ("'a,b,c'.split(',')", ["a", "b", "c"]),
        ("'a,b,c'.split(',', 2)", ["a", "b,c"]),
        ("'tacocat'.substring(4)", "cat"),
        ("'tacocat'.substring(0, 4)", "taco"),
        ("'  a b '.trim()", "a b"),
        ("['a', 'b'].join()", "ab"),
        ("['a', 'b'].join('-')", "a-b"),
        ("'abc'.startsWith('ab') && 'abc'.endsWith('bc') && 'abc'.contains('b')", True),
        ("'pod-12'.matches('^[a-z]+-[0-9]+$')", True),
        ("'Pod'.matches('^(?i)[a-z]+$')", True),
        ("'xB'.matches('^x(?i)b|c$')", True),
        ("'XB'.matches('^(x(?i)b)$')", False),
        ("'xBC'.matches('^(x(?i)b)c$')", False),
        ("'pod-12'.find('[0-9]+')", "12"),
        ("'1a22b'.findAll('[0-9]+')", ["1", "22"]),
    ],
)
def test_functions_of_strings(expression, expected):
    assert value_of(expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("[1, 2, 3].all(x, x > 0)", True),
        ("[1, 2, 3].exists(x, x > 2)", True),
        ("[1, 2, 2].exists_one(x, x == 2)", False),
        ("[1, 2, 3].filter(x, x > 1)", [2, 3]),
        ("[1, 2, 3].map(x, x * 2)", [2, 4, 6]),
        ("{'a': 1, 'b': 2}.all(k, k != 'c')", True),
        ("[1, 2, 3].sum() + [1, 3].max() + [1, 3].min()", 10),
        ("[1, 2, 2].isSorted()", True),
        ("[1, 2, 1].indexOf(1) + [1, 2, 1].lastIndexOf(1)", 2),
    ],
)
def test_functions_of_lists(expression, expected):
    assert value_of(expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("quantity('1Gi').isGreaterThan(quantity('1000Mi'))", True),
        ("quantity('500m').add(quantity('1')).compareTo(quantity('1500m'))", 0),
        ("quantity('2').sub(1).asInteger()", 1),
        ("isQuantity('1Gi') && !isQuantity('1Gig')", True),
        ("semver('1.10.0').isGreaterThan(semver('1.9.9'))", True),
        ("semver('1.2.3').minor()", 2),
        ("ip('192.168.0.1').family()", 4),
        ("cidr('10.0.0.0/8').containsIP('10.1.2.3')", True),
        ("isIP('::1') && !isIP('1.2.3')", True),
        ("url('https://example.com:80/a?b=c').getHostname()", "example.com"),
        ("isURL('https://example.com') && !isURL('../a')", True),
    ],
)
def test_functions_of_kubernetes(expression, expected):
    assert value_of(expression) == expected


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("1 / 0", "divi(sion|de) by zero"),
        ("1 % 0", "modulus by zero"),
        ("9223372036854775807 + 1", "overflow"),
        ("[1][1]", "index out of bounds: 1"),
        ("{'a': 1}.b", "no such key: b"),
        ("int('x')", "type conversion error from 'string' to 'int'"),
        ("bool('maybe')", "type conversion error from 'string' to 'bool'"),
        ("'abc'.charAt(4)", "index out of range"),
        ("quantity('1Gig')", "quantit"),
    ],
)
def test_errors(expression, problem):
    with pytest.raises(EvaluationError, match=problem):
        value_of(expression)
