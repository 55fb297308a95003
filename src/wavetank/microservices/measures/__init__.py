"""What a run of services measures: latency histograms, counts, use of CPU."""
