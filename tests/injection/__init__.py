"""Prompt injection against what is learned: payloads, harmless look-alikes, and how many of each are held."""
