"""K8sSim's thirteen algorithms for Volcano: configurations with one order of jobs and one score of nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from wavetank.cluster.releases import Version
from wavetank.errors import InputError
from wavetank.scheduling.named.scheduler import NamedScheduler

if TYPE_CHECKING:  # Volcano is loaded when it is picked
    from wavetank.scheduling.volcano.config.conf import VolcanoConf
    from wavetank.scheduling.volcano.definition import VolcanoDefinition

_SCORES = {
    "leastrequested": "least requested: mean of (capacity - requested) * 100 / capacity",
    "mostrequested": "most requested: mean of requested * 100 / capacity",
    "balancedresource": "balanced: (1 - std of the requested shares) * 100",
    "binpack": "binpack: 100 * mean over the pod's resources of (used + requested) / capacity",
}
_ORDERS = {
    "gang": "jobs whole or not at all",
    "drf": "the job with the smallest dominant share first",
    "sla": "the job whose waiting time ends first",
    "gang drf": "jobs whole or not at all, the one with the smallest dominant share first",
}
_SHORT = {"LRP": "leastrequested", "MRP": "mostrequested", "BRA": "balancedresource", "BINPACK": "binpack"}
_PAIRS = (
    *((order, score) for order in ("GANG", "DRF", "GANG_DRF", "SLA") for score in ("BRA", "MRP", "LRP")),
    ("GANG_DRF", "BINPACK"),
)
# All that nodeorder could add to a score; an algorithm keeps one of them.
_PARTS = (
    *("leastrequested", "mostrequested", "nodeaffinity", "podaffinity"),
    *("balancedresource", "tainttoleration", "imagelocality"),
)


def _text(order: str, score: str) -> str:
    """Writes the configuration: the plugin that orders jobs is in the first tier, a second one in the next."""
    first, _, second = order.lower().partition("_")
    lines = ['actions: "enqueue, allocate, backfill"', "tiers:", "- plugins:"]
    lines += [f"  - name: {name}" for name in ("priority", "conformance", first)]
    lines += ["- plugins:", *([f"  - name: {second}"] if second else []), "  - name: predicates"]
    if score == "BINPACK":
        # without effect, as in K8sSim: the resource would have to be named in binpack.resources as well
        lines += ["  - name: binpack", "    arguments:", "      binpack.resources.nvidia.com/gpu: 1"]
    else:
        lines += ["  - name: nodeorder", "    arguments:"]
        lines += [f"      {part}.weight: {int(part == _SHORT[score])}" for part in _PARTS]
    return "\n".join(lines) + "\n"


VOLCANO_TEXTS: Mapping[str, str] = {f"{order}_{score}": _text(order, score) for order, score in _PAIRS}


def volcano_algorithms() -> Iterator[NamedScheduler]:
    """Yields the thirteen."""
    for order, score in _PAIRS:
        name = f"{order}_{score}"
        formula = f"{_ORDERS[order.lower().replace('_', ' ')]}; {_SCORES[_SHORT[score]]}"
        yield NamedScheduler(name, "volcano", formula, "Volcano 1.15", partial(_make, name, formula))


def _make(wanted: str, formula: str, name: str, version: Version, args: Mapping[str, Any]) -> VolcanoDefinition:
    if args:
        raise InputError(f"{wanted} takes no arguments", path="args")
    from wavetank.scheduling.volcano.config.conf import parse_conf
    from wavetank.scheduling.volcano.definition import VolcanoDefinition

    return VolcanoDefinition(name, f"Volcano, {wanted}: {formula}", parse_conf(VOLCANO_TEXTS[wanted]))


def volcano_of_k8ssim(name: str, description: str, conf: VolcanoConf) -> VolcanoDefinition:
    """Returns Volcano as it is in K8sSim, with any configuration."""
    from wavetank.scheduling.volcano.definition import VolcanoDefinition
    from wavetank.scheduling.volcano.release import K8SSIM

    return VolcanoDefinition(name, description, conf, release=K8SSIM)
