"""wavetank: a Kubernetes cluster simulator for testing schedulers.

    import wavetank
    results = wavetank.run(cluster="nodes.yaml", workload="jobs.json", schedulers=["default", "most-allocated"])
    print(results)         # the summary, one row per scheduler
    results.summary()      # a pandas or polars frame, one row per scheduler and seed
    results                # in a notebook: a comparison with pictures
    results.plot.waits()   # a picture by matplotlib
    results.report         # the path of the HTML report

`run` documents the arguments; `sweep` runs many scenarios; `Policy` is the base of a scheduling policy of your own;
`open_results` reads the folder of an earlier run or sweep; `compare` says what differs between two; `whatif` says what
a change would do to a cluster, `capacity` how many nodes it needs, `explain` why a pod is pending; `K8sSim` is K8sSim
step by step. External schedulers of the batch operator use an `ExternalSchedulerClient`, or are an `ExternalPolicy`.
Everything that wavetank raises on purpose is a `WavetankError`; bad input is an `InputError` that names the place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wavetank.errors import InputError, SchedulerError, WavetankError

if TYPE_CHECKING:
    from wavetank.api.comparison import ComparedResults as ComparedResults
    from wavetank.api.comparison import compare as compare
    from wavetank.api.experiments import run as run
    from wavetank.api.explaining import Explained as Explained
    from wavetank.api.explaining import explain as explain
    from wavetank.api.opening import open_results as open_results
    from wavetank.api.planning import Capacity as Capacity
    from wavetank.api.planning import WhatIf as WhatIf
    from wavetank.api.planning import capacity as capacity
    from wavetank.api.planning import whatif as whatif
    from wavetank.api.results import Results as Results
    from wavetank.api.sweeps import SweepResults as SweepResults
    from wavetank.api.sweeps import sweep as sweep
    from wavetank.batchoperator.esi.client import ExternalSchedulerClient as ExternalSchedulerClient
    from wavetank.batchoperator.esi.client import ExternalSchedulerError as ExternalSchedulerError
    from wavetank.batchoperator.esi.policy.policy import ExternalPolicy as ExternalPolicy
    from wavetank.k8ssim.stepping import K8sSim as K8sSim
    from wavetank.report.plots.experiment import ExperimentPlots as ExperimentPlots
    from wavetank.report.plots.sweep import SweepPlots as SweepPlots
    from wavetank.scheduling.policy import Policy as Policy
    from wavetank.version import __version__ as __version__

__all__ = [
    "Capacity",
    "ComparedResults",
    "ExperimentPlots",
    "Explained",
    "ExternalPolicy",
    "ExternalSchedulerClient",
    "ExternalSchedulerError",
    "InputError",
    "K8sSim",
    "Policy",
    "Results",
    "SchedulerError",
    "SweepPlots",
    "SweepResults",
    "WavetankError",
    "WhatIf",
    "__version__",
    "capacity",
    "compare",
    "explain",
    "open_results",
    "run",
    "sweep",
    "whatif",
]

# Loaded when first asked for, so that `import wavetank` and `wavetank --help` cost nothing.
_LAZY = {
    "run": "wavetank.api.experiments",
    "open_results": "wavetank.api.opening",
    "compare": "wavetank.api.comparison",
    "Results": "wavetank.api.results",
    "ComparedResults": "wavetank.api.comparison",
    "Capacity": "wavetank.api.planning",
    "WhatIf": "wavetank.api.planning",
    "capacity": "wavetank.api.planning",
    "Explained": "wavetank.api.explaining",
    "explain": "wavetank.api.explaining",
    "SweepResults": "wavetank.api.sweeps",
    "sweep": "wavetank.api.sweeps",
    "whatif": "wavetank.api.planning",
    "ExperimentPlots": "wavetank.report.plots.experiment",
    "SweepPlots": "wavetank.report.plots.sweep",
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


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
