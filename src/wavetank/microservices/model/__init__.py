"""What is simulated: services and their operations, load, actions, and the rules of a preset."""
