"""The volumes of pods, and the objects that they rely on, as they are read."""

from __future__ import annotations

import pytest

from wavetank.cluster.fields.volumes import Volume, parse_volumes
from wavetank.cluster.objects.storage import CSIStorageCapacity, PersistentVolume, PersistentVolumeClaim, StorageClass
from wavetank.errors import InputError


def test_only_volumes_that_matter_are_kept_in_order():
    raw = [
        {"name": "config", "configMap": {"name": "x"}},
        {"name": "data", "persistentVolumeClaim": {"claimName": "c"}},
        {"name": "cache", "emptyDir": {}},
        {"name": "scratch", "ephemeral": {}},
    ]
    assert parse_volumes(raw, "spec.volumes") == (Volume("data", claim="c"), Volume("scratch", ephemeral=True))


def test_an_ephemeral_volume_has_a_claim_named_after_the_pod():
    data, scratch = Volume("data", claim="c"), Volume("scratch", ephemeral=True)
    assert (data.claim_name("p"), scratch.claim_name("p"), Volume("x").claim_name("p")) == ("c", "p-scratch", None)


@pytest.mark.parametrize(
    ("raw", "place"),
    [
        pytest.param("data", "spec.volumes", id="no list"),
        pytest.param(["data"], "spec.volumes[0]", id="no volume"),
        pytest.param([{"persistentVolumeClaim": "c"}], "spec.volumes[0].persistentVolumeClaim", id="no source"),
    ],
)
def test_a_bad_volume_is_named(raw, place):
    with pytest.raises(InputError) as caught:
        parse_volumes(raw, "spec.volumes")
    assert caught.value.path == place


def a_volume(**spec):
    return PersistentVolume({"metadata": {"name": "v"}, "spec": spec})


def test_a_bad_size_is_named():
    with pytest.raises(InputError) as caught:
        a_volume(capacity={"storage": "lots"})
    assert caught.value.path == "spec.capacity.storage"


def a_claim(uid, **metadata):
    claim = PersistentVolumeClaim({"metadata": {"name": "c", **metadata}, "spec": {}})
    claim.uid = uid
    return claim


@pytest.mark.parametrize(
    ("ref", "is_for"),
    [
        pytest.param(None, False, id="for no claim"),
        pytest.param({"namespace": "default", "name": "c"}, True, id="reserved by name"),
        pytest.param({"namespace": "default", "name": "c", "uid": "1"}, True, id="bound"),
        pytest.param({"namespace": "default", "name": "c", "uid": "2"}, False, id="of a former claim"),
        pytest.param({"namespace": "other", "name": "c"}, False, id="of another namespace"),
    ],
)
def test_a_volume_is_for_a_claim(ref, is_for):
    assert a_volume(claimRef=ref).is_for(a_claim("1")) is is_for


def test_the_old_annotation_names_the_class():
    annotated = a_claim("1", annotations={"volume.beta.kubernetes.io/storage-class": "old"})
    assert annotated.storage_class == "old"


def test_an_empty_topology_term_allows_no_node():
    storage_class = StorageClass({"metadata": {"name": "x"}, "allowedTopologies": [{"matchLabelExpressions": []}]})
    assert not storage_class.allows({"zone": "z"})


def test_capacity_without_a_topology_is_of_no_node():
    left = CSIStorageCapacity({"metadata": {"name": "x"}, "capacity": "1Gi"})
    assert not left.nodes.matches({})
    assert left.largest == 1 << 30


def test_a_migrated_volume_is_reached_by_its_drivers_label():
    zone = "topology.kubernetes.io/zone"
    terms = [{"matchExpressions": [{"key": zone, "operator": "In", "values": ["z1"]}]}]
    volume = a_volume(
        awsElasticBlockStore={"volumeID": "aws://z1/vol-1"},
        nodeAffinity={"required": {"nodeSelectorTerms": terms}},
    )
    assert volume.migrated_csi() == ("ebs.csi.aws.com", "vol-1")
    affinity = volume.migrated_affinity()
    assert affinity.matches({"topology.ebs.csi.aws.com/zone": "z1"}, "")
    assert not affinity.matches({zone: "z1"}, "")
