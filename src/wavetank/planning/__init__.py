"""Questions about a cluster: what a change would do (`whatif`), and how many nodes it needs (`capacity`)."""
