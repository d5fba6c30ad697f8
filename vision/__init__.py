"""The eyes: finds playing cards in pictures and reads them; knows no rules."""
