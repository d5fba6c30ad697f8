"""A stored session in other formats, one module a format."""
