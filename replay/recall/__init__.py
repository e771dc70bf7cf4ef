"""The retrieval index on disk: its tables, its rows, how it is made, and how it is read."""
