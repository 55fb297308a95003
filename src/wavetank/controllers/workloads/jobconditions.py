from __future__ import annotations

from wavetank.cluster.objects.resource import Resource

FINISHED = ("Complete", "Failed")


def finished_condition(job: Resource) -> str:
    """Returns Complete or Failed if a Job has finished; empty otherwise."""
    for condition in (job.manifest.get("status") or {}).get("conditions") or ():
        if condition.get("type") in FINISHED and condition.get("status") == "True":
            return str(condition["type"])
    return ""
