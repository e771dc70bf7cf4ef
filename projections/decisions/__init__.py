"""Decisions: pure functions from rows and a request to events, perhaps none. Decided twice, the second time yields
nothing.
"""
