"""The page of a cluster: live under `wavetank serve`, and of finished runs under `wavetank play`."""
