"""Meaning: encoders, the vectors that they make, and questions that are held against these."""
