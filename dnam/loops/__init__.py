"""Conversations with a model, as generators: they yield an ask or a decision and receive what came of it."""
