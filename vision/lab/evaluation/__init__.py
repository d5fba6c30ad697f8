"""Scores of the networks on labelled pictures."""
