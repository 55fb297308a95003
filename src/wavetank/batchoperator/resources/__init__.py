"""The custom resources of the batch operator: their fields, labels and definitions."""
