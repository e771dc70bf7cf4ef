"""Links that open a message where it was said; they are made in `projections/links.py`, and stand in prompts too."""

from projections.links import jump_link

__all__ = ["jump_link"]
