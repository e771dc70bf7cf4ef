"""Vectors on disk: sealed, each under the key of its text's vault, and opened."""
