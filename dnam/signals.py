"""The signals by which a system tells a program to end: by these it ends in order, with what was recorded."""

import signal

TOLD_TO_END = (signal.SIGTERM, signal.SIGHUP)
"""The second where the terminal is gone."""
