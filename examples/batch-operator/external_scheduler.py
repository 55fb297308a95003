"""Shortest job first: an external scheduler that measures run times and stores them with the jobs.

    python external_scheduler.py http://127.0.0.1:8082 TOKEN TESTBED [ROUNDS]

Each round queues all ready jobs on a testbed, waits for the end of the queue, and notes how long each job ran.
"""

import sys
from datetime import datetime

from wavetank import ExternalSchedulerClient
from wavetank.batchoperator.esi.external import ExternalBatchJob

KEY = "shortest-first"
ENDS = ("CompletedState", "FinishedState")


def known_seconds(job: ExternalBatchJob) -> float:
    """What was stored after an earlier run; jobs that have never run come first."""
    stored = (job.external_scheduler or {}).get(KEY)
    return float(stored[-1]["seconds"]) if stored else 0.0


def last_run(job: ExternalBatchJob) -> float | None:
    runs = [run for run in job.scheduled_events or [] if run.successful and run.start and run.stop]
    if not runs:
        return None
    start, stop = (datetime.fromisoformat(time) for time in (runs[-1].start, runs[-1].stop))
    return (stop - start).total_seconds()


def run_round(client: ExternalSchedulerClient, testbed: str, name: str) -> list[str]:
    client.wait("testbeds", testbed, lambda found: found.state == "SUCCESS")
    ready = [job for job in client.jobs().values() if job.state == "ReadyState"]
    queue = [job.name for job in sorted(ready, key=lambda job: (known_seconds(job), job.name))]
    client.queue(name, testbed, queue)
    client.wait("schedulings", name, lambda found: found.state in ENDS)
    for job in queue:
        seconds = last_run(client.job(job))
        if seconds is not None:
            client.store(job, {KEY: [{"seconds": str(seconds)}]})
    client.delete(name)
    client.wait("jobs", queue[-1], lambda job: job.state == "ReadyState")  # released
    return queue


def main(url: str, token: str, testbed: str, rounds: str = "2") -> None:
    client = ExternalSchedulerClient(url, token)
    for number in range(int(rounds)):
        print(f"round {number}: {' '.join(run_round(client, testbed, f'{KEY}-{number}'))}")


if __name__ == "__main__":
    main(*sys.argv[1:])
