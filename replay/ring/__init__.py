"""The key ring: which keys there are, how they lie on disk in two copies, and how they go into a backup."""
