"""Volcano: its scheduler and its controllers."""

from __future__ import annotations

from wavetank.loop.recipes.recipe import Completed, Recipe

_MODULE, _VERSION = "volcano.sh/volcano", "v1.15.1"
# Volcano 1.15.1 uses an API module that is not published; 1.14.0 lacks one constant of it.
_APIS = Completed("volcano.sh/apis", "v1.14.0", "volcano", "pkg/apis/scheduling/v1beta1")
_MANIFESTS = ("config/crd/volcano/bases/*.yaml", "config/crd/jobflow/bases/*.yaml")
_FLAGS = ("--leader-elect=false", "--kube-api-qps=5000", "--kube-api-burst=5000")

VOLCANO_SCHEDULER = Recipe(
    module=_MODULE,
    version=_VERSION,
    package=f"{_MODULE}/cmd/scheduler",
    completed=_APIS,
    manifests=_MANIFESTS,
    flags=(*_FLAGS, "--node-worker-threads=1", "--cache-dumper=false", "--plugins-dir="),
)
VOLCANO_CONTROLLERS = Recipe(
    module=_MODULE,
    version=_VERSION,
    package=f"{_MODULE}/cmd/controller-manager",
    completed=_APIS,
    manifests=_MANIFESTS,
    flags=(
        *_FLAGS,
        "--worker-threads=1",
        "--worker-threads-for-podgroup=1",
        "--worker-threads-for-queue=1",
        "--worker-threads-for-gc=1",
        "--worker-threads-for-cronjob=1",
    ),
    replaces=frozenset({"volcano-job-controller"}),
)
