"""wavetank: a Kubernetes cluster simulator for testing schedulers.

    import wavetank
    results = wavetank.run(cluster="nodes.yaml", workload="jobs.json", schedulers=["default", "most-allocated"])
    print(results)         # the summary, one row per scheduler
    results.summary()      # a pandas or polars frame, one row per scheduler and seed
    results                # in a notebook: a comparison with pictures
    results.report         # the path of the HTML report

`run` documents the arguments; `Policy` is the base of a scheduling policy of your own; `open_results` reads the folder
of an earlier run; `compare` says what differs between two; `whatif` says what a change would do to a cluster,
`capacity` how many nodes it needs; `K8sSim` is K8sSim step by step. External schedulers of the batch operator use an
`ExternalSchedulerClient`, or are an `ExternalPolicy`. Everything that wavetank raises on purpose is a `WavetankError`;
bad input is an `InputError` that names the place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wavetank.errors import InputError, SchedulerError, WavetankError

if TYPE_CHECKING:
    from wavetank.api import Capacity as Capacity
    from wavetank.api import ComparedResults as ComparedResults
    from wavetank.api import Results as Results
    from wavetank.api import WhatIf as WhatIf
    from wavetank.api import capacity as capacity
    from wavetank.api import compare as compare
    from wavetank.api import open_results as open_results
    from wavetank.api import run as run
    from wavetank.api import whatif as whatif
    from wavetank.batchoperator.esi.client import ExternalSchedulerClient as ExternalSchedulerClient
    from wavetank.batchoperator.esi.client import ExternalSchedulerError as ExternalSchedulerError
    from wavetank.batchoperator.esi.policy.policy import ExternalPolicy as ExternalPolicy
    from wavetank.k8ssim.stepping import K8sSim as K8sSim
    from wavetank.scheduling.policy import Policy as Policy
    from wavetank.version import __version__ as __version__

__all__ = [
    "Capacity",
    "ComparedResults",
    "ExternalPolicy",
    "ExternalSchedulerClient",
    "ExternalSchedulerError",
    "InputError",
    "K8sSim",
    "Policy",
    "Results",
    "SchedulerError",
    "WavetankError",
    "WhatIf",
    "__version__",
    "capacity",
    "compare",
    "open_results",
    "run",
    "whatif",
]

# Loaded when first asked for, so that `import wavetank` and `wavetank --help` cost nothing.
_LAZY = {
    "run": "wavetank.api",
    "open_results": "wavetank.api",
    "compare": "wavetank.api",
    "Results": "wavetank.api",
    "ComparedResults": "wavetank.api",
    "Capacity": "wavetank.api",
    "WhatIf": "wavetank.api",
    "capacity": "wavetank.api",
    "whatif": "wavetank.api",
    "ExternalPolicy": "wavetank.batchoperator.esi.policy.policy",
    "ExternalSchedulerClient": "wavetank.batchoperator.esi.client",
    "ExternalSchedulerError": "wavetank.batchoperator.esi.client",
    "K8sSim": "wavetank.k8ssim.stepping",
    "Policy": "wavetank.scheduling.policy",
    "__version__": "wavetank.version",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'wavetank' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)
