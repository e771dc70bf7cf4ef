"""When another process hangs."""

HANGS = 600.0
"""Who has not ended by then (seconds) hangs: a minute passes on a machine that does much else, or stands still."""
