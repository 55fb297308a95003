"""Recorded runs of MiSim and misim-orchestration, compared with wavetank's services in the preset `misim`."""

from wavetank.verification.microservices.aspects import SERVICE_ASPECTS
from wavetank.verification.microservices.recording import ServiceRecording, find_cases, is_case, read_case

__all__ = ["SERVICE_ASPECTS", "ServiceRecording", "find_cases", "is_case", "read_case"]
