"""Kubernetes' own end-to-end tests against `wavetank serve`; see scripts/run_conformance.py."""
