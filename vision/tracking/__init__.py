"""From frames to the settled table."""
