"""All studies, by name."""

from __future__ import annotations

from importlib import import_module

from wavetank.errors import InputError
from wavetank.studies.study import Study
from wavetank.words import did_you_mean

# The module of each study, which has it as STUDY; it is imported only if it is asked for.
_MODULES = {
    "batkube": "wavetank.studies.batkube.study",
    "cluster-scaling": "wavetank.studies.clusterscaling.study",
    "gpu-sharing": "wavetank.studies.gpusharing.study",
    "k8ssim": "wavetank.studies.k8ssim.study",
    "teastore": "wavetank.studies.teastore.study",
    "topsis": "wavetank.studies.topsis.study",
}


def study_names() -> tuple[str, ...]:
    """Returns the names of all studies, sorted."""
    return tuple(sorted(_MODULES))


def load_study(name: str) -> Study:
    """Returns a study by its name."""
    if name not in _MODULES:
        hint = did_you_mean(name, _MODULES) or f"; there are {', '.join(study_names())}"
        raise InputError(f"no study {name!r}{hint}")
    study: Study = import_module(_MODULES[name]).STUDY
    return study
