"""What is measured in a cluster: the answers of the metrics APIs, from loads and series."""
