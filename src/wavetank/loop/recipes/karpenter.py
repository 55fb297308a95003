from __future__ import annotations

from wavetank.loop.recipes.recipe import Recipe

# Karpenter's core with its own provider of simulated machines, kwok.
KARPENTER = Recipe(
    module="sigs.k8s.io/karpenter",
    version="v1.12.0",
    package="sigs.k8s.io/karpenter/kwok",
    manifests=("pkg/apis/crds/*.yaml", "kwok/apis/crds/*.yaml"),
    flags=(
        "--disable-leader-election=true",
        "--metrics-port=0",
        "--health-probe-port=0",
        "--kube-client-qps=5000",
        "--kube-client-burst=5000",
    ),
    environment={"SYSTEM_NAMESPACE": "kube-system"},
    has_flag=False,
)
