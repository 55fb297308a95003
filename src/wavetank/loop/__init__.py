"""Programs in the loop: what runs outside the simulator and takes part in it."""
