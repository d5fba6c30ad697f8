"""The log of all sessions, in SQLite."""
