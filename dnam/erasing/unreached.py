"""What no erasure reaches, as each receipt says it."""

OUTSIDE = (
    "Discord: messages there stay until somebody deletes them there",
    "the model provider, and the encoder's where there is one: what they keep of what they were sent",
)
"""Who was sent any of it."""
PRINTED = "what `dnam log`, `dnam show` or another command printed into a file"
