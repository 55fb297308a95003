"""The latency preset `k3s`: written by scripts/fit_k3s.py, which says from what and how; do not edit."""

K3S: dict[str, object] = {}
