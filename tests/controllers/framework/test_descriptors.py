from __future__ import annotations

import subprocess
import sys
from textwrap import dedent

import pytest

from tests.controllers.clusters import ControllerCluster
from tests.support.objects import pod_manifest
from wavetank.cluster.objects.groupkinds import PERSISTENT_VOLUME_CLAIM, POD
from wavetank.controllers.descriptors import CONTROLLERS, all_names, read_names
from wavetank.errors import InputError

REPLICA_SETS = "replicaset-controller"


@pytest.mark.parametrize(
    ("given", "names"),
    [
        pytest.param("*", all_names(), id="all"),
        pytest.param(["*"], all_names(), id="all, in a list"),
        pytest.param("none", set(), id="none"),
        pytest.param("replicaset-controller", {REPLICA_SETS}, id="only one"),
        pytest.param("replicaset", {REPLICA_SETS}, id="its older name"),
        pytest.param("*,-replicaset-controller", all_names() - {REPLICA_SETS}, id="all but one"),
        pytest.param(["-replicaset", "*", "replicaset"], all_names() - {REPLICA_SETS}, id="the first word counts"),
        pytest.param("-replicaset", set(), id="the others are off without a star"),
        pytest.param("", set(), id="none named"),
    ],
)
def test_which_controllers_are_on(given: object, names: set[str]) -> None:
    assert read_names(given) == names


def test_an_unknown_controller_is_refused_with_a_hint() -> None:
    with pytest.raises(InputError, match="did you mean replicaset-controller"):
        read_names("replicaset-contoller")
    with pytest.raises(InputError, match="expected a list"):
        read_names({"a": 1})


@pytest.mark.parametrize("name", CONTROLLERS)
def test_every_controller_starts_on_an_empty_cluster(name: str) -> None:
    cluster = ControllerCluster("none")
    CONTROLLERS[name].start(cluster.context)
    cluster.run()
    assert not cluster.store.has(POD)


def test_no_two_controllers_share_a_name_or_an_alias() -> None:
    names = [name for each in CONTROLLERS.values() for name in (each.name, *each.aliases)]
    assert len(names) == len(set(names))


def test_a_run_imports_no_controller_before_there_is_an_object_for_it() -> None:
    script = """
        import sys
        from wavetank.cluster.store.store import Store
        from wavetank.controllers.descriptors import all_names, start_controllers
        from wavetank.controllers.framework.context import ControllerContext
        from wavetank.kernel.clock import Clock
        start_controllers(ControllerContext(Store(Clock()), None), all_names())
        loaded = {name.split(".")[2] + "." + name.split(".")[3] for name in sys.modules
                  if name.startswith("wavetank.controllers.") and name.count(".") == 3}
        print(sorted(name for name in loaded if not name.endswith(".descriptor") and "framework" not in name))
    """
    answer = subprocess.run([sys.executable, "-c", dedent(script)], capture_output=True, text=True, check=True)
    assert answer.stdout == "[]\n"


def test_ephemeral_volumes_get_their_claims_once_there_is_a_storage_class() -> None:
    cluster = ControllerCluster("ephemeral-volume")
    pod = pod_manifest("web")
    template = {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
    pod["spec"]["volumes"] = [{"name": "scratch", "ephemeral": {"volumeClaimTemplate": template}}]
    cluster.create(pod)
    assert not cluster.store.has(PERSISTENT_VOLUME_CLAIM)
    head = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "fast"}}
    cluster.create({**head, "provisioner": "disks.example.com"})
    assert [claim.name for claim in cluster.store.list(PERSISTENT_VOLUME_CLAIM)] == ["web-scratch"]
