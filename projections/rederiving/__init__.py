"""Deriving a memory anew from what was said and decided: which events are kept, and when the loops run."""
