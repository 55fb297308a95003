"""Nodes with GPUs and pods on them, as the policies see them."""

from __future__ import annotations

import random

import numpy as np

from tests.support.objects import SPECS, node_manifest, pod_manifest
from wavetank.cluster.objects.gpus import GPU_COUNT, GPU_INDEX, GPU_MILLI, GPU_MODEL
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.gpusharing.gpunodes import GpuNodes
from wavetank.scheduling.gpusharing.request import GpuRequest


def a_gpu_node(name, cpu=96, gpus=8, model="G2", memory="1Ti"):
    """Returns a node with whole GPUs of one model; 0 GPUs for a node without any."""
    extended = {"nvidia.com/gpu": str(gpus)} if gpus else {}
    return node_manifest(name, cpu=cpu, memory=memory, extended=extended, labels={GPU_MODEL: model} if gpus else {})


def a_gpu_pod(name, cpu=1, gpus=0, milli=1000, models="", devices=""):
    """Returns a pod that asks for `milli` thousandths of each of so many GPUs, of certain models or devices."""
    marks = {GPU_COUNT: str(gpus), GPU_MILLI: str(milli)} if gpus else {}
    marks |= {key: value for key, value in ((GPU_MODEL, models), (GPU_INDEX, devices)) if value}
    requests = {"cpu": str(cpu)} | ({"nvidia.com/gpu": str(gpus)} if gpus and milli == 1000 else {})
    return pod_manifest(name, requests=requests, annotations=marks, metadata={"uid": name})


def a_table(nodes, pods=()):
    """Makes a table of node manifests, with pods as (node, manifest)."""
    table = NodeTable()
    for node in nodes:
        table.set_node(Node(node))
    for name, manifest in pods:
        pod = Pod.parse(manifest, SPECS)
        pod.uid = pod.name
        table.add_pod(pod, name)
    return table


def a_state(nodes, pods=()):
    state = GpuNodes()
    state.catch_up(a_table(nodes, pods))
    return state


def a_request(state, cpu=1, gpus=0, milli=1000, models=()):
    """Makes a request for cores and GPUs."""
    return GpuRequest(cpu * 1000, gpus, milli if gpus else 0, models, state.accepted(models))


def scores(policy, state, nodes, **request):
    policy.random = random.Random(1)
    return policy.score(a_request(state, **request), state, np.arange(nodes)).tolist()
