"""Known programs: the module from which they are built, their configuration, what they need in a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from wavetank.errors import InputError
from wavetank.loop.building import module
from wavetank.loop.building.module import parse_version, write_recipe
from wavetank.loop.building.toolchain import BuildError, Toolchain
from wavetank.loop.recipes import RECIPES, recipe_of
from wavetank.loop.recipes.kueue import adapt, configure
from wavetank.loop.recipes.volcano import select_webhooks

GO = Toolchain("go", "go1.26.8", "/go")
RELEASED = """module sigs.k8s.io/kueue

go 1.25.0

replace (
\tk8s.io/api => k8s.io/api v0.35.3
\texample.com/staged => ./staged
)
"""
WANTED = """module loop/programs

go 1.25.0

require sigs.k8s.io/kueue v0.16.1

replace (
\tk8s.io/api => k8s.io/api v0.35.3
)
"""


def test_a_module_for_a_known_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text(RELEASED)
    monkeypatch.setattr(module, "download", lambda *_: {"GoMod": str(tmp_path / "go.mod"), "Dir": str(tmp_path)})
    assert write_recipe(GO, RECIPES["kueue"], "v0.16.1", tmp_path / "made") == tmp_path
    assert (tmp_path / "made" / "go.mod").read_text() == WANTED
    assert (tmp_path / "made" / "kueue" / "main.go").read_text().endswith("}\n")


@pytest.mark.parametrize(
    ("text", "version"), [("v0.16.1", "v0.16.1"), ("1.12.0", "v1.12.0"), ("0.17.0-rc.1", "v0.17.0-rc.1")]
)
def test_the_version_of_a_known_program_is_its_own(text: str, version: str) -> None:
    assert parse_version(text, "v1.2.3") == version


def test_a_version_that_is_none() -> None:
    with pytest.raises(BuildError, match=r"expected a version such as v0\.16\.1, got 'new'"):
        parse_version("new", "v0.16.1")


def test_a_program_of_the_users_own_has_an_empty_recipe() -> None:
    assert not recipe_of("mine").module
    assert not recipe_of("mine").flags


def test_kueues_configuration_is_completed() -> None:
    made = configure({"fairSharing": {"preemptionStrategies": ["LessThanInitialShare"]}, "webhook": {"host": "x"}})
    assert made["kind"] == "Configuration"
    assert made["fairSharing"] == {"preemptionStrategies": ["LessThanInitialShare"]}
    assert made["webhook"] == {"host": "x", "port": 9443}
    assert made["leaderElection"] == {"leaderElect": False}
    assert made["integrations"] == {"frameworks": ["batch/job"]}


def test_another_configuration_is_refused() -> None:
    with pytest.raises(InputError, match="kind: expected Configuration"):
        configure({"kind": "KubeSchedulerConfiguration"})


def a_webhook(name: str, group: str, resource: str) -> dict[str, Any]:
    service = {"namespace": "system", "name": "webhook-service", "path": "/x"}
    rules = [{"apiGroups": [group], "resources": [resource]}]
    return {"name": name, "clientConfig": {"service": service}, "rules": rules}


def test_kueues_objects_are_those_of_its_kustomization() -> None:
    definition = {"kind": "CustomResourceDefinition", "metadata": {"name": "q"}}
    conversion = {
        "strategy": "Webhook",
        "webhook": {"clientConfig": {"service": {"namespace": "system", "name": "webhook-service"}}},
    }
    webhooks = [
        a_webhook("mjob.kb.io", "batch", "jobs"),
        a_webhook("mpod.kb.io", "", "pods"),
        a_webhook("mworkload.kb.io", "kueue.x-k8s.io", "workloads"),
    ]
    documents: list[dict[str, Any]] = [
        {**definition, "spec": {"group": "g"}},
        {**definition, "spec": {"conversion": conversion}},
        {"kind": "MutatingWebhookConfiguration", "metadata": {"name": "mutating"}, "webhooks": webhooks},
    ]
    merged, configuration = adapt(documents, {})
    assert merged["spec"]["group"] == "g"
    assert merged["spec"]["conversion"]["webhook"]["clientConfig"]["service"]["name"] == "kueue-webhook-service"
    assert configuration["metadata"]["name"] == "kueue-mutating"
    assert [each["name"] for each in configuration["webhooks"]] == ["mjob.kb.io", "mworkload.kb.io"]
    _, with_pods = adapt(documents, {"integrations": {"frameworks": ["pod"]}})
    assert [each["name"] for each in with_pods["webhooks"]] == ["mpod.kb.io", "mworkload.kb.io"]


def test_of_volcanos_installation_only_definitions_and_webhooks_are_taken() -> None:
    kinds = ["Namespace", "CustomResourceDefinition", "Deployment", "MutatingWebhookConfiguration", "Service"]
    documents = [{"kind": kind, "metadata": {"name": "x"}} for kind in kinds]
    taken = [each["kind"] for each in select_webhooks(documents, {})]
    assert taken == ["CustomResourceDefinition", "MutatingWebhookConfiguration"]
