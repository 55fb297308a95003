"""Templates, expressions and fields of KWOK's Stage documents."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.realclusters.nodes.stages.engine import stage_functions
from wavetank.realclusters.nodes.stages.expressions import parse_expression
from wavetank.realclusters.nodes.stages.stage import Stage, read_stages
from wavetank.realclusters.nodes.stages.template import parse_template

POD: dict[str, Any] = {
    "metadata": {"name": "p", "uid": "u", "annotations": {"delay": "3s"}, "labels": {"app.io/x": "true"}},
    "spec": {"nodeName": "n", "containers": [{"name": "a", "image": "x"}, {"name": "b", "image": "y"}]},
    "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
}
FUNCTIONS = stage_functions(lambda: 0)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        pytest.param("{{ .spec.nodeName }}", "n", id="a field"),
        pytest.param("{{ .spec.nothing.deeper }}", "null", id="a field that is missing"),
        pytest.param("{{ Now | Quote }}", '"2030-01-01T00:00:00Z"', id="a pipeline"),
        pytest.param("{{ $x := 1 }}{{ $x }}", "1", id="a variable"),
        pytest.param("{{ range .spec.containers }}{{ .name }};{{ end }}", "a;b;", id="range moves the dot"),
        pytest.param(
            "{{ range $i, $c := .spec.containers }}{{ $i }}{{ $c.image }}{{ end }}", "0x1y", id="with numbers"
        ),
        pytest.param("{{ range .spec.gates }}x{{ else }}none{{ end }}", "none", id="an empty range"),
        pytest.param("{{ if .spec.gates }}x{{ else if .spec.nodeName }}y{{ else }}z{{ end }}", "y", id="else if"),
        pytest.param('{{ if eq .status.phase "Running" }}yes{{ end }}', "yes", id="eq"),
        pytest.param('{{ or .spec.hostNetwork "no" }}', "no", id="or"),
        pytest.param('{{ index ( or .metadata.annotations dict ) "delay" }}', "3s", id="index"),
        pytest.param("{{ with .metadata }}{{ .name }}{{ $.spec.nodeName }}{{ end }}", "pn", id="with, and the root"),
        pytest.param("a {{- /* nothing */ -}} b", "ab", id="trim markers"),
        pytest.param("{{ PodIPWith .spec.nodeName false .metadata.uid }}", "10.128.0.1", id="an address"),
    ],
)
def test_a_template_is_rendered_as_go_does(template: str, text: str) -> None:
    functions = stage_functions(lambda: 0)
    assert parse_template(template, functions, "t").render(POD) == text


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("{{ toJson .spec }}", "the function toJson is not covered"),
        ("{{ if .spec }}", "end is missing"),
        ('{{ template "x" }}', "template is not covered here"),
        ("{{ .spec", "{{ without }}"),
        ("{{ ( Now }}", ") is missing"),
    ],
)
def test_what_a_template_uses_beyond_that_is_refused_by_name(template: str, problem: str) -> None:
    with pytest.raises(InputError, match="in the template") as refused:
        parse_template(template, FUNCTIONS, "t")
    assert problem in str(refused.value)


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        (".status.phase", ["Running"]),
        (".status.podIP", []),
        (".spec.containers.[].name", ["a", "b"]),
        ('.metadata.labels["app.io/x"]', ["true"]),
        ('.status.conditions.[] | select( .type == "Ready" ) | .status', ["True"]),
        ('.status.conditions.[] | select( .type == "Other" ) | .status', []),
        (".spec.containers[1].image", ["y"]),
    ],
)
def test_an_expression_finds_values_as_jq_does(expression: str, values: list[str]) -> None:
    assert parse_expression(expression, "e")(POD) == values


def test_other_expressions_are_refused() -> None:
    with pytest.raises(InputError, match="only paths and select"):
        parse_expression('.a | test("x")', "e")


def stage_of(folder: Path, spec: str) -> Stage:
    head = "apiVersion: kwok.x-k8s.io/v1alpha1\nkind: Stage\nmetadata: {name: s}\nspec:\n  "
    file = folder / "stage.yaml"
    file.write_text(f"{head}resourceRef: {{apiGroup: v1, kind: Pod}}\n  {spec}\n")
    (stage,) = read_stages([file], FUNCTIONS)
    return stage


def test_a_delay_may_come_from_the_pod_and_has_jitter_up_to_a_longer_one(tmp_path: Path) -> None:
    fixed = stage_of(tmp_path, "delay: {durationMilliseconds: 500}")
    assert fixed.draw_delay(POD, Random(1)) == SECOND // 2
    stated = "durationFrom: {expressionFrom: '.metadata.annotations[\"delay\"]'}"
    assert stage_of(tmp_path, f"delay: {{durationMilliseconds: 1, {stated}}}").draw_delay(POD, Random(1)) == 3 * SECOND
    wide = stage_of(tmp_path, "delay: {durationMilliseconds: 1000, jitterDurationMilliseconds: 2000}")
    assert all(SECOND <= wide.draw_delay(POD, Random(seed)) <= 2 * SECOND for seed in range(20))


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("next: {event: {type: Normal}}", "spec.next: event is not covered"),
        ("immediateNextStage: true", "spec: immediateNextStage is not covered"),
        ("weightFrom: {expressionFrom: .x}", "spec: weightFrom is not covered"),
        ("selector: {matchExpressions: [{key: .a, operator: Gt}]}", "expected one of In, NotIn, Exists, DoesNotExist"),
    ],
)
def test_fields_that_are_not_covered_are_named(tmp_path: Path, spec: str, problem: str) -> None:
    with pytest.raises(InputError) as refused:
        stage_of(tmp_path, spec)
    assert problem in str(refused.value)


def test_stages_of_nodes_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "node.yaml"
    file.write_text("apiVersion: kwok.x-k8s.io/v1alpha1\nkind: Stage\nspec: {resourceRef: {kind: Node}}\n")
    with pytest.raises(InputError, match="only Stages of pods are covered, not of Node"):
        read_stages([file], FUNCTIONS)
