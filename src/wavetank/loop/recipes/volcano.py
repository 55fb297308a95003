"""Volcano: its scheduler, its controllers and its admission webhooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wavetank.loop.recipes.recipe import Completed, Document, Recipe

_MODULE, _VERSION = "volcano.sh/volcano", "v1.15.1"
# Volcano 1.15.1 uses an API module that is not published; 1.14.0 lacks one constant of it.
_APIS = Completed("volcano.sh/apis", "v1.14.0", "volcano", "pkg/apis/scheduling/v1beta1")
_MANIFESTS = ("config/crd/volcano/bases/*.yaml", "config/crd/jobflow/bases/*.yaml")
_UNLIMITED = ("--kube-api-qps=5000", "--kube-api-burst=5000")
_FLAGS = ("--leader-elect=false", *_UNLIMITED)
# Those that Volcano's own installation has.
_WEBHOOKS = tuple(
    f"/{path}"
    for path in (
        *("jobs/mutate", "jobs/validate", "queues/mutate", "queues/validate"),
        *("podgroups/validate", "hypernodes/validate", "cronjobs/validate"),
    )
)
_WEBHOOK_PORT = 8443


def select_webhooks(documents: Sequence[Document], configuration: Mapping[str, Any]) -> list[Document]:
    """Returns the definitions and webhook configurations among all objects of Volcano's installation."""
    return [each for each in documents if each["kind"].endswith(("WebhookConfiguration", "ResourceDefinition"))]


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
VOLCANO_WEBHOOKS = Recipe(
    module=_MODULE,
    version=_VERSION,
    sources="volcanowebhooks",
    completed=_APIS,
    manifests=("installer/volcano-development.yaml",),
    adapt=select_webhooks,
    flags=(*_UNLIMITED, f"--enabled-admission={','.join(_WEBHOOKS)}", f"--port={_WEBHOOK_PORT}"),
    services={"volcano-system/volcano-admission-service": _WEBHOOK_PORT},
)
