"""What must hold in every run with node pools."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.experiments.nodepools.pools import LARGE, POOL, SMALL, Witness, deployment, run
from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import NODE_CLAIM
from wavetank.cluster.objects.resource import Resource
from wavetank.quantity import milli

TYPES = [
    SMALL,
    {"name": "medium", "cpu": 4, "memory": "8Gi", "price": 0.19, "spotPrice": 0.2},
    LARGE,
    {"name": "odd", "cpu": 6, "memory": "4Gi", "price": 0.15},
]
LIMIT = 12  # CPUs
BUDGET = 1


def is_disrupted(claim: Resource) -> bool:
    """Returns whether a claim is being disrupted voluntarily."""
    conditions = (claim.manifest.get("status") or {}).get("conditions") or ()
    return any(each["type"] == "DisruptionReason" and each["status"] == "True" for each in conditions)


class Checked(Witness):
    """Checks limits and budgets whenever a claim changes."""

    def join(self, context: ActorContext) -> None:
        """Watches claims."""
        super().join(context)
        context.store.subscribe(NODE_CLAIM, added=self._check, modified=lambda old, new: self._check(new))

    def _check(self, _: Resource) -> None:
        claims = list(self.store.list(NODE_CLAIM))
        assert sum(map(is_disrupted, claims)) <= BUDGET
        staying = (each for each in claims if each.deleted is None and not is_disrupted(each))
        assert sum(milli(each.manifest["status"]["capacity"]["cpu"]) for each in staying) <= LIMIT * 1000


@st.composite
def workloads(draw: st.DrawFn) -> list[dict[str, Any]]:
    count = draw(st.integers(1, 4))

    def deployments() -> Iterator[dict[str, Any]]:
        for i in range(count):
            cpu = draw(st.sampled_from(["300m", "900m", "1", "2", "3500m"]))
            arrival, lifetime = draw(st.integers(0, 300)), draw(st.integers(60, 600))
            yield deployment(f"d{i}", draw(st.integers(1, 5)), cpu, f"{lifetime}s", f"{arrival}s")

    return list(deployments())


@settings(max_examples=25)
@given(workloads(), st.sampled_from(["WhenEmpty", "WhenEmptyOrUnderutilized"]), st.integers(1, 5))
def test_limits_and_budgets_hold_at_any_time_and_every_node_goes_in_the_end(
    objects: list[dict[str, Any]], policy: str, seed: int
) -> None:
    disruption = {"consolidationPolicy": policy, "consolidateAfter": "20s", "budgets": [{"nodes": str(BUDGET)}]}
    pool = {**POOL, "instanceTypes": TYPES, "limits": {"cpu": LIMIT}, "disruption": disruption, "requirements": []}
    witness = run(objects, [pool], seed, witness=Checked(), horizon="40m")
    assert witness.left == []


@settings(max_examples=25)
@given(st.integers(100, 9000), st.booleans())
def test_one_pod_gets_the_cheapest_type_that_holds_it(cpu: int, spot: bool) -> None:
    pool = {**POOL, "instanceTypes": TYPES, **({"requirements": []} if spot else {})}
    witness = run([deployment("a", 1, f"{cpu}m")], [pool], horizon="1m")
    prices = ("price", "spotPrice") if spot else ("price",)
    fitting = [each for each in TYPES if each["cpu"] * 1000 >= cpu]
    cheapest = min((each[kind] for each in fitting for kind in prices if kind in each), default=None)
    launched = [float(witness.store.get("Node", "", name).annotations["wavetank.dev/price"]) for name in witness.came]
    assert launched == ([] if cheapest is None else [cheapest])
