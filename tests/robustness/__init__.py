"""Attacks on the program with inputs made at random: `python -m tests.robustness --help`."""
