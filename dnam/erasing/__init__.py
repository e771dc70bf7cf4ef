"""Erasing a person or a guild, and everything that has to go with them outside the log."""
