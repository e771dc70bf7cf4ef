"""Adapters: each outside thing is one small protocol, one file here, and one fake that ships."""
