"""The latency preset `k3s`: written by scripts/fit_k3s.py, which says from what and how; do not edit."""

K3S: dict[str, object] = {
    "bind": {"normal": {"mean": 0.0064, "deviation": 0.0054}},
    "sync": {
        "mixture": [
            {"weight": 1163, "of": {"normal": {"mean": 0.4967, "deviation": 0.1053}}},
            {"weight": 558, "of": {"normal": {"mean": 3.0283, "deviation": 0.2707}}},
        ]
    },
    "pull_check": {"normal": {"mean": 0.943, "deviation": 0.0499}},
    "start": {"normal": {"mean": 0.1264, "deviation": 0.0575}},
    "finish": {"normal": {"mean": 0.6166, "deviation": 0.2285}},
    "bandwidth": 13828914,
    "image_bytes": "50Mi",
}
