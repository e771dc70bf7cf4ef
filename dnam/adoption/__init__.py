"""Adopting what a shadow has otherwise, in part or whole, and undoing that."""
