"""External schedulers that are policies: they run inside a simulation, so that sweeps can compare them."""

import wavetank


def seconds(job):
    """The run time that was measured before, stored with the job."""
    profile = (job.external_scheduler or {}).get("profile")
    return float(profile[0]["seconds"]) if profile else 0.0


class Fifo(wavetank.ExternalPolicy):
    """A queue in the order of creation."""

    def __init__(self, executors=1):
        self.executors = executors

    def queue(self, testbed, jobs):
        return [job.name for job in jobs for _ in range(self.executors)]


class ShortestFirst(Fifo):
    """A queue with the shortest job first."""

    def queue(self, testbed, jobs):
        return super().queue(testbed, sorted(jobs, key=seconds))


class LongestFirst(Fifo):
    """A queue with the longest job first, which ends earlier."""

    def queue(self, testbed, jobs):
        return super().queue(testbed, sorted(jobs, key=seconds, reverse=True))


class RoundRobin(wavetank.ExternalPolicy):
    """Each job gets the next slot, whatever runs there."""

    mode = "relaxed"

    def assign(self, testbed, jobs):
        slots = [slot.position for slot in testbed.slots]
        return {job.name: [slots[number % len(slots)]] for number, job in enumerate(jobs)}
