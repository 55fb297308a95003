"""The DynamicResources plugin."""
