"""How long things take, in ms."""

DAY_MS = 86_400_000
