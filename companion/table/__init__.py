"""The live table: the one mutable object, what may be asked of it, and its frozen snapshots."""
