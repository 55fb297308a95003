"""Stages of KWOK: the lifecycle of pods as its users describe it."""
