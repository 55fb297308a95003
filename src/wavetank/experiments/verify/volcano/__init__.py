"""Replays recorded sessions of the real Volcano scheduler and compares every step."""

from wavetank.experiments.verify.volcano.aspects import SESSION_ASPECTS
from wavetank.experiments.verify.volcano.recording import Scenario, is_scenario, parse_scenario
from wavetank.experiments.verify.volcano.replay import replay_sessions

__all__ = ["SESSION_ASPECTS", "Scenario", "is_scenario", "parse_scenario", "replay_sessions"]
