"""What the cards of an enrolled pack look like."""
