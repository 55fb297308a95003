"""What was found: the schedulers compared in every metric, and the differences in sentences."""
