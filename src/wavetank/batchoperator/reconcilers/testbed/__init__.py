"""Testbeds: one ghost pod in every free slot."""
