"""Learning: when the loops run over what was said, while it is said or afterwards."""
