"""Objects of Kueue as its parts read them."""
