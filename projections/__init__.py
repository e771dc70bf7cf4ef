"""The pure core of dnam: events, folds, policies, decisions and the prompt. No I/O, no clock, no dice."""
