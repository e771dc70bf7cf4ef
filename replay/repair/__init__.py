"""Repairing a damaged log: from a backup of it, or of what can still be read."""
