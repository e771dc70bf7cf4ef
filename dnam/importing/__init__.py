"""Bringing in what other programs kept: what `importers` read, decided, recorded, and counted."""
