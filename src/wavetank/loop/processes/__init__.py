"""Programs in the loop: their definition, configuration, launch and end."""
