"""Policies: one rule a file, with its own version. A verdict carries its reason, because an audit must answer why in
words.
"""
