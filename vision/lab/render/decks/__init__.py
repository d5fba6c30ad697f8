"""Card artwork, drawn or taken from packages."""
