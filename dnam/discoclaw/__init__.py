"""DiscoClaw's files of a memory: written once, or kept up while it is open."""
