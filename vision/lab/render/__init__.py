"""Synthetic decks, scenes and films."""
