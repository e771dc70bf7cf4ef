"""Backups: making one, continuing it, looking it over, and restoring what was kept."""
