"""What would catch us: who can come to see what, and what is gone when somebody takes it back (design §7 and §8).

`make privacy` (`python -m tests.privacy`) prints what comes of it.
"""
