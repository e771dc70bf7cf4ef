"""Deriving a memory anew beside the live one: `rederive`.

    live log ──units──▶ kept: taken over as it was       decided: applied again      scheduled: the loop runs again
                                 │                               │                               │
                                 └──────────────▶ the shadow's log, rows, views ◀────────────────┘

A run of a loop is named by the event that told of it in the live log, and everything that it records gets its id from
that. So a derivation that was broken off finds what it has done, asks no model twice for what was answered, and ends
the same.
"""
