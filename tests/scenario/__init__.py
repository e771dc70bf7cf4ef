"""A long day of the assistant in Discord, driven from outside: the way its users and its operator see it.

    people ──▶ loopback Discord ◀──▶ `dnam run` (a process of its own) ◀──▶ loopback Messages API
                     │                        │                                    │
              what was answered          what was logged                  what stood in each prompt
                     └────────────────────────┴─── held against each other ────────┘

cast         who there is, where, and the words by which whatever is said can be told apart
claude       the script of the Messages API: what it says to what is in the prompt, and what goes wrong with it
process      `dnam run`: started, killed, ended
stage        all of this together, and what the chapters do with it
chapters/    what happens, in order
readers      who may read what, and whether a prompt keeps to it
ending       what has to be true afterwards
transcript   all of it as a page to read

`make scenario`, or `python -m tests.scenario [--seed N] [--transcript FILE]`, plays it alone. Nothing sleeps: every
wait is for something to happen. The seed chooses the chatter in between.
"""
