"""Shadows as logs: one beside the live log, open as that is, and what an erasure does to it."""
