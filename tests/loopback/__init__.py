"""Servers on loopback that stand for what is outside: real clients connect to them."""
