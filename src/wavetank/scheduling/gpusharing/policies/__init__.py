"""The policies of GPU sharing, one file each; users pick them by name."""
