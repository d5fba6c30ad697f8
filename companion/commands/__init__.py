"""What each command of `warref` does. `vision` is imported only inside the commands that need it."""
