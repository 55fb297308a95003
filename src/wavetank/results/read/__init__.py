"""Reading results back."""
