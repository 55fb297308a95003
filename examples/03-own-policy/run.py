"""Runs a Python policy that keeps the fast nodes for large pods.

`python run.py` prints the summary and the nodes of the large pods.
"""

from collections import Counter

import wavetank

CLUSTER = {
    "nodes": [
        {"name": "fast", "count": 4, "cpu": 16, "memory": "64Gi", "labels": {"tier": "fast"}},
        {"name": "slow", "count": 12, "cpu": 8, "memory": "32Gi", "labels": {"tier": "slow"}},
    ]
}
WORKLOAD = {
    "generator": {
        "kind": "poisson",
        "pods": 400,
        "rate": 0.5,
        "duration": {"uniform": [60, 300]},
        "requests": [{"weight": 9, "cpu": 1, "memory": "2Gi"}, {"weight": 1, "cpu": 8, "memory": "16Gi"}],
    }
}


class KeepFast(wavetank.Policy):
    """Small pods take slow nodes while they can, large ones take fast nodes."""

    def __init__(self, large=4):
        self.large = 1000 * large  # milli-CPU

    def filter(self, pod, node):
        if pod.requests["cpu"] >= self.large and node.labels["tier"] == "slow":
            return "node(s) were too slow"
        return True

    def score(self, pod, node):
        return node.free["cpu"] - (100_000 if node.labels["tier"] == "fast" else 0)


def main():
    schedulers = ["default", {"name": "keep-fast", "python": KeepFast, "args": {"large": 4}}]
    results = wavetank.run(cluster=CLUSTER, workload=WORKLOAD, schedulers=schedulers, seeds="1-2")
    print(results)
    for scheduler in ("default", "keep-fast"):
        pods = results.pods(scheduler, 1, frame="rows")
        tiers = Counter(pod["node"].partition("-")[0] for pod in pods if pod["cpu_milli"] == 8000)
        print(f"{scheduler}: large pods on fast nodes {tiers['fast']}, on slow nodes {tiers['slow']}")


if __name__ == "__main__":
    main()
