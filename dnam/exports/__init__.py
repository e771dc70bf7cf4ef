"""A whole memory as lines, what one person is told of theirs, and taking such an export back."""
