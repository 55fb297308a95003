"""A small shell: what a container's script would do, in simulated time and with files in memory."""
