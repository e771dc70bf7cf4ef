"""kill -9 in the middle of the program's own commands."""
