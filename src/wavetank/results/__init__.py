"""Results of runs: schema, recording, metrics, writing, reading, comparing, statistics."""
