"""What `import wavetank` offers: a module for each question."""
