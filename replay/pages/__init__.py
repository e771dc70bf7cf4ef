"""LMDB's pages, read from its bytes: whether they fit together, and which nobody needs."""
