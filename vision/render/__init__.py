"""Pictures that never were: decks, tables and films rendered for training, tests and samples."""
