"""What happens to pods when their node is not what it was."""
