"""Replays recorded sessions of the real Volcano scheduler and compares every step."""

from wavetank.verification.volcano.aspects import SESSION_ASPECTS
from wavetank.verification.volcano.recording import Scenario, is_scenario, parse_scenario
from wavetank.verification.volcano.replay import replay_sessions

__all__ = ["SESSION_ASPECTS", "Scenario", "is_scenario", "parse_scenario", "replay_sessions"]
