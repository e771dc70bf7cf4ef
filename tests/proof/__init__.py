"""What dnam claims, tried hard: `make prove` runs every part and writes docs/SCORECARD.md from what came out."""
