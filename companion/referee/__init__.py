"""The pure core: inputs in, rulings out. No I/O, no clock, no chance."""
