"""Enrolling the family's own pack of cards."""
