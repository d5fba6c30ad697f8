"""Films of whole games."""
