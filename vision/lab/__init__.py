"""Rendering, training, evaluation and benchmarks; not needed at the table."""
