"""`wavetank serve --node-groups` refuses bad files before it serves anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import Wavetank

POOL = "{name: p, instanceTypes: [{name: s, cpu: 4, memory: 8Gi, price: 1}]}"
GROUP = "name: g, max: 3, cpu: 4, memory: 8Gi"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(f"nodeGroups: [{{{GROUP}, min: 3}}]", "nodeGroups[0].max: min 3 must be below max 3", id="bounds"),
        pytest.param(f"nodeGroups: [{{{GROUP}, kind: ASG}}]", "nodeGroups[0].kind: ", id="another kind"),
        pytest.param(f"nodeGroups: [{{{GROUP}, spot: {{rate: often}}}}]", "nodeGroups[0].spot.rate: ", id="no rate"),
        pytest.param(f"nodeGroups: [{{{GROUP}, bootFailures: 2}}]", "expected a number, from 0 to 1", id="no share"),
        pytest.param("autoscaler: {expander: best}", "autoscaler.expander: ", id="an unknown expander"),
        pytest.param("groups: []", "unknown field 'groups'", id="an unknown field"),
        pytest.param(f"nodePools: [{POOL}, {POOL}]", "nodePools[1].name: a second pool 'p'", id="two pools of a name"),
        pytest.param("provisioner: {}", "provisioner: a provisioner needs nodePools", id="a provisioner without pools"),
        pytest.param("a: 1\n---\nb: 2", "expected one document, found 2", id="two documents"),
    ],
)
def test_bad_node_groups_are_refused_with_file_and_path(
    wavetank: Wavetank, tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "groups.yaml").write_text(text)
    ended = wavetank("serve", "--node-groups", "groups.yaml", "--port", "0")
    assert ended.status == 2
    assert ended.err.startswith("groups.yaml: ")
    assert message in ended.err


def test_a_bare_server_has_no_node_groups(wavetank: Wavetank, tmp_path: Path) -> None:
    (tmp_path / "groups.yaml").write_text("nodeGroups: []")
    ended = wavetank("serve", "--bare", "--node-groups", "groups.yaml")
    assert (ended.status, "cannot be used together" in ended.err) == (2, True)
