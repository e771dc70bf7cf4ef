"""Recall: what was said and what is known, found again by its words."""
