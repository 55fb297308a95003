"""Snapshots of clusters: taking, reading and anonymizing them."""
