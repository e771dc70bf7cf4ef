"""Shadows: what was derived anew beside the live memory, what they are, what differs, and how that is shown."""
