from __future__ import annotations

from wavetank.loop.recipes.recipe import Recipe

# It is not on Go's module proxy: the user builds it from a folder.
CLUSTER_AUTOSCALER = Recipe(
    flags=(
        "--cloud-provider=clusterapi",
        "--leader-elect=false",
        "--kube-api-content-type=application/json",
        "--kube-client-qps=5000",
        "--kube-client-burst=5000",
        "--address=127.0.0.1:0",
        "--cluster-snapshot-parallelism=1",
        "--predicate-parallelism=1",
    )
)
