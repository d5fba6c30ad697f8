"""Cards on tables, photographed."""
