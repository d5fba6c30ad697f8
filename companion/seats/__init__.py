"""Who sits where in the picture."""
