"""Builds Go programs that run on virtual time."""
