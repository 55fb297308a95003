"""Snapshots: what is in them, and what is inferred."""

from __future__ import annotations

import json

import pytest

from tests.apiserver.serving import nodes_file, serving
from tests.planning.shop import shop
from tests.support.objects import node_manifest, pod_manifest
from tests.support.paths import shared_data
from wavetank.errors import InputError
from wavetank.planning.options import read_options
from wavetank.planning.whatif.question import Question
from wavetank.snapshots.owners import with_owners
from wavetank.snapshots.pruning import pruned
from wavetank.snapshots.pseudonyms import Pseudonyms
from wavetank.snapshots.snapshot import make_snapshot, open_snapshot, reduced, write_snapshot
from wavetank.snapshots.taking import take_snapshot


def kinds_of(snapshot):
    return sorted({manifest["kind"] for manifest in snapshot.manifests})


def test_a_dump_of_nodes_and_pods_gets_its_owners():
    folder = shared_data("gke-dump/dataset_small_1")
    taken = open_snapshot([folder / "nodes.yaml", folder / "pods.yaml"])
    assert kinds_of(taken) == ["Node", "Pod", "ReplicaSet"]
    assert taken.notes == [
        "5 controllers inferred from the ownerReferences of pods",
        "5 pods on nodes that the snapshot does not have",
    ]


def test_a_folder_is_all_its_files(tmp_path):
    (tmp_path / "nodes.json").write_text(json.dumps(node_manifest()))
    (tmp_path / "pods.yaml").write_text(json.dumps(pod_manifest(node="n")))
    assert open_snapshot([tmp_path]).description == "1 node, 1 pod, 0 controllers"


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(InputError, match="a folder without files"):
        open_snapshot([tmp_path])


def test_a_snapshot_is_read_as_it_was_written(tmp_path):
    kept = reduced(shop())
    write_snapshot(kept, tmp_path / "a.yaml.gz")
    write_snapshot(open_snapshot([tmp_path / "a.yaml.gz"]), tmp_path / "b.yaml.gz")
    assert (tmp_path / "a.yaml.gz").read_bytes() == (tmp_path / "b.yaml.gz").read_bytes()


def test_a_snapshot_of_a_served_cluster_has_its_pods_and_no_secrets(tmp_path):
    with serving(tmp_path, "--cluster", nodes_file(tmp_path)) as served:
        pod = pod_manifest("p")
        pod["spec"]["containers"][0]["env"] = [{"name": "A", "value": "password"}]
        served.ask("POST", "/api/v1/namespaces/default/pods", pod)
        served.until("/api/v1/namespaces/default/pods/p", lambda found: found["spec"].get("nodeName"))
        taken = reduced(take_snapshot(served.kubeconfig))
    assert {"Namespace", "Node", "Pod"} <= set(kinds_of(taken))
    (made,) = (each for each in taken.manifests if each["kind"] == "Pod")
    assert made["spec"]["nodeName"] in ("n1", "n2")
    assert "password" not in json.dumps(made)


def test_a_server_that_does_not_answer_is_refused(tmp_path):
    config = {
        "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:9"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c"}}],
        "current-context": "x",
    }
    (tmp_path / "config").write_text(json.dumps(config))
    with pytest.raises(InputError, match="does not answer"):
        take_snapshot(tmp_path / "config")


def test_secrets_environment_and_commands_are_left_out():
    pod = pod_manifest(annotations={"kubectl.kubernetes.io/last-applied-configuration": "password"})
    pod["spec"]["containers"][0] |= {"env": [{"name": "A", "value": "password"}], "args": ["--token=password"]}
    pod["spec"]["volumes"] = [{"name": "s", "secret": {"secretName": "password"}}]
    assert "password" not in json.dumps(pruned(pod))
    assert pruned({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}) is None
    assert pruned({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "s"}}) is None


def test_pseudonyms_are_stable_and_keep_the_structure_of_names():
    one, other = Pseudonyms("key"), Pseudonyms("another")
    assert one.name("web-0") == Pseudonyms("key").name("web-0")
    assert one.name("web-0").endswith("-0")
    assert one.name("web-7f-x").startswith(one.name("web"))
    assert one.name("web") not in ("web", other.name("web"))
    assert one.label_key("topology.kubernetes.io/zone") == "topology.kubernetes.io/zone"


def test_an_anonymized_snapshot_gives_the_same_answer():
    given = reduced(shop(), anonymize=True)
    assert not any(name in json.dumps(list(given.manifests)) for name in ("shop", '"web"', '"api"', '"a-0"'))
    question = Question(make_snapshot(given.manifests), [], read_options())
    before, plain = question.ask().before, Question(shop(), [], read_options()).ask().before
    assert sorted(node.pods for node in before.nodes) == sorted(node.pods for node in plain.nodes)
    assert not before.pending


def a_pod_of(kind, owner, name, **spec):
    reference = {"apiVersion": "apps/v1", "kind": kind, "name": owner, "uid": "u", "controller": True}
    return pod_manifest(name, "n", metadata={"ownerReferences": [reference]}, labels={"app": owner}, **spec)


def inferred(*pods):
    return next(
        each for each in with_owners([node_manifest("n"), *pods]).manifests if "template" in each.get("spec", {})
    )


def test_a_stateful_set_keeps_its_ordinals_and_claims():
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data-db-3"}}]
    owner = inferred(a_pod_of("StatefulSet", "db", "db-2"), a_pod_of("StatefulSet", "db", "db-3", volumes=volumes))
    assert (owner["spec"]["replicas"], owner["spec"]["ordinals"]) == (2, {"start": 2})
    assert [claim["metadata"]["name"] for claim in owner["spec"]["volumeClaimTemplates"]] == ["data"]
    assert owner["spec"]["template"]["spec"]["volumes"] == []


def test_a_daemon_set_is_not_bound_to_the_node_of_one_pod():
    field = {"key": "metadata.name", "operator": "In", "values": ["n"]}
    term = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": term}}
    owner = inferred(a_pod_of("DaemonSet", "agent", "agent-x", affinity=affinity))
    assert owner["spec"]["template"]["spec"]["affinity"] == {}


def test_a_replica_set_belongs_to_the_deployment_of_the_dump():
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "default", "uid": "d"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}}}},
    }
    pod = a_pod_of("ReplicaSet", "web-77", "web-77-x")
    pod["metadata"]["labels"] = {"app": "web", "pod-template-hash": "77"}
    made = with_owners([deployment, pod]).manifests
    (replica_set,) = (each for each in made if each["kind"] == "ReplicaSet")
    assert replica_set["metadata"]["ownerReferences"][0]["uid"] == "d"


def test_pods_that_have_ended_need_no_owner():
    pod = a_pod_of("Job", "job", "job-x", status={"phase": "Succeeded"})
    assert with_owners([pod]).manifests == [pod]
