import re

import pytest

from tests.support.paths import ROOT
from wavetank.errors import InputError
from wavetank.scheduling.volcano.config.conf import DEFAULT_CONF, parse_conf
from wavetank.scheduling.volcano.defects import DEFECTS, check_defects

HEAD = 'actions: "allocate"\n'


def test_the_compiled_in_configuration_is_volcanos():
    conf = parse_conf(DEFAULT_CONF)
    assert conf.actions == ("enqueue", "allocate", "backfill")
    assert [[option.name for option in tier] for tier in conf.tiers] == [
        ["priority", "gang", "conformance"],
        ["overcommit", "drf", "predicates", "proportion", "nodeorder"],
    ]


def test_what_is_not_switched_off_is_on():
    conf = parse_conf(HEAD + "tiers: [{plugins: [{name: gang, enablePreemptable: false, nobodyKnows: 1}]}]")
    ((gang,),) = conf.tiers
    assert not gang.takes_part("enablePreemptable")
    assert gang.takes_part("enableReclaimable")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(
            'actions: "enqeue, allocate"', "failed to find Action 'enqeue' (did you mean enqueue?)", id="action"
        ),
        pytest.param(
            'actions: "allocate, shuffle"', "the action shuffle is not simulated", id="action without a model"
        ),
        pytest.param("tiers: []", "failed to find Action ''", id="no actions"),
        pytest.param(
            HEAD + "tiers: [{plugins: [{name: gangs}]}]",
            "tiers[0].plugins[0]: failed to get plugin 'gangs' (did you mean gang?)",
            id="plugin",
        ),
        pytest.param(HEAD + "tiers: [{plugins: [{name: tdm}]}]", "the plugin tdm is not simulated", id="no model"),
        pytest.param(
            HEAD + "tiers: [{plugins: [{name: drf, enableHierarchy: true}]}]", "enableHierarchy of drf", id="hdrf"
        ),
        pytest.param(HEAD + "tiers: [{plugin: []}]", "tiers[0]: expected a list of plugins", id="no list"),
        pytest.param("just a text", "expected actions and tiers", id="no mapping"),
    ],
)
def test_what_cannot_be_simulated_is_named(text, message):
    with pytest.raises(InputError) as raised:
        parse_conf(text, "vc.conf")
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("value", "integer", "number", "flag"),
    [(2, 2, 2.0, False), (2.5, 7, 2.5, False), ("2", 7, 7.0, False), (True, 7, 7.0, True), ("true", 7, 7.0, True)],
)
def test_arguments_of_the_wrong_type_count_as_not_given(value, integer, number, flag):
    text = HEAD + "tiers: [{plugins: [{name: binpack, arguments: {a: %s}}]}]"
    written = f'"{value}"' if isinstance(value, str) else str(value).lower()
    ((binpack,),) = parse_conf(text % written).tiers
    arguments = binpack.arguments
    assert (arguments.integer("a", 7), arguments.number("a", 7.0), arguments.flag("a", False)) == (
        integer,
        number,
        flag,
    )


def test_every_defect_is_documented():
    text = (ROOT / "docs" / "volcano.md").read_text()
    documented = re.findall(r"^\| `([a-z-]+)` \|", text.partition("## Defects")[2].partition("## Fidelity")[0], re.M)
    assert documented == list(DEFECTS)


def test_an_unknown_defect_is_named():
    assert check_defects(list(DEFECTS)) == frozenset(DEFECTS)
    with pytest.raises(InputError, match="did you mean empty-answer-no-veto"):
        check_defects(["empty-answer-veto"])
