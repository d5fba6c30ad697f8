"""Games without a table, through the same engine."""
