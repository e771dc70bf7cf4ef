"""What is remembered, and how much of it a prompt holds."""

from decimal import Decimal

from dnam.settings.allowed import CHARACTERS, FRACTION, SWITCH, TURNS, Between, OneOf
from dnam.settings.setting import Setting

MEMORY = (
    Setting(
        "DNAM_MEMORY_ENABLED",
        bool,
        "1",
        SWITCH,
        "Whether memory is used and learned at all. Either way answers are given, what is said is recorded, and the "
        "recent conversation goes into prompts.",
        ("MEMORY_ENABLED",),
    ),
    Setting(
        "DNAM_MEMORY_COMMANDS_ENABLED",
        bool,
        "1",
        SWITCH,
        "Whether people may use `!memory` and its commands.",
        ("DISCOCLAW_MEMORY_COMMANDS_ENABLED",),
    ),
    Setting(
        "DNAM_SUMMARY_ENABLED",
        bool,
        "1",
        SWITCH,
        "Whether each session has a rolling summary.",
        ("DISCOCLAW_SUMMARY_ENABLED",),
    ),
    Setting(
        "DNAM_SUMMARY_MAX_CHARS",
        int,
        "2000",
        Between(0, 100_000),
        "How long a summary may be, in characters. 0: there is none, as with DNAM_SUMMARY_ENABLED. What the alias has "
        "below 0 counts as that.",
        ("DISCOCLAW_SUMMARY_MAX_CHARS",),
        raised=True,
    ),
    Setting(
        "DNAM_SUMMARY_EVERY_N_TURNS",
        int,
        "5",
        TURNS,
        "After how many turns of a session its summary is refreshed. What the alias has below 1 counts as that.",
        ("DISCOCLAW_SUMMARY_EVERY_N_TURNS",),
        raised=True,
    ),
    Setting(
        "DNAM_ERA_REFRESHES",
        int,
        "20",
        Between(1, 1_000),
        "After how many refreshes a session's summary begins a new era, with a key of its own.",
    ),
    Setting(
        "DNAM_DURABLE_MEMORY_ENABLED",
        bool,
        "1",
        SWITCH,
        "Whether durable items are put into prompts and learned from what people say.",
        ("DISCOCLAW_DURABLE_MEMORY_ENABLED",),
    ),
    Setting(
        "DNAM_DURABLE_EVERY_N_TURNS",
        int,
        "10",
        TURNS,
        "After how many turns of a person durable items are extracted from what they said.",
        ("DISCOCLAW_DURABLE_EVERY_N_TURNS",),
    ),
    Setting(
        "DNAM_EXTRACTION_IDLE_MINUTES",
        int,
        "30",
        Between(0, 10_080),
        "After how many quiet minutes durable items are extracted from what a person said since. 0: never.",
    ),
    Setting(
        "DNAM_DURABLE_INJECT_MAX_CHARS",
        int,
        "2000",
        CHARACTERS,
        "How many characters of durable items a prompt may hold.",
        ("DISCOCLAW_DURABLE_INJECT_MAX_CHARS",),
    ),
    Setting(
        "DNAM_DURABLE_INJECT_MAX_ITEMS",
        int,
        "12",
        Between(0, 1_000),
        "How many durable items a prompt may hold; those that say how to answer (`guidance`) are not counted. 0: none.",
    ),
    Setting(
        "DNAM_DURABLE_MAX_ITEMS",
        int,
        "200",
        Between(1, 10_000),
        "How many durable items are kept for a person, deprecated ones counted.",
        ("DISCOCLAW_DURABLE_MAX_ITEMS",),
    ),
    Setting(
        "DNAM_SCORING",
        str,
        "recall",
        OneOf(("recall", "dnam")),
        "What ranks durable items for a prompt: recall, by how rare the words are that they share with a message, or "
        "DNAM's own count of shared words. `dnam search` goes by recall in any case.",
    ),
    Setting(
        "DNAM_RECALL_COMPILED",
        bool,
        "1",
        SWITCH,
        "Whether a bot recalls by compiled loops where numba is installed (`pip install 'dnam[compiled]'`): in half "
        "the time, for 40 MB of memory. It finds the same without.",
    ),
    Setting(
        "DNAM_ROOM_MAX_ITEMS",
        int,
        "8",
        Between(0, 1_000),
        "How many items of the others in the conversation a prompt may hold. Only what everybody there could know of "
        "them is used. 0: none.",
    ),
    Setting(
        "DNAM_ROOM_MAX_CHARS",
        int,
        "1000",
        CHARACTERS,
        "How many characters of items of the others in the conversation a prompt may hold.",
    ),
    Setting(
        "DNAM_PASSAGES",
        int,
        "5",
        Between(0, 100),
        "How many passages of past conversations that answer to a message its prompt may hold. 0: none.",
        ("MEMORY_TOP_K",),
    ),
    Setting(
        "DNAM_PASSAGES_MAX_CHARS",
        int,
        "2000",
        CHARACTERS,
        "How many characters of past conversations a prompt may hold.",
    ),
    Setting(
        "DNAM_PROMPT_MAX_TOKENS",
        int,
        "8000",
        Between(0, 1_000_000),
        "How many tokens a prompt may have, in all of its blocks: every character of Chinese, Japanese, Korean, Thai, "
        "Lao, Burmese and Khmer counts as one, and every four others. Beyond, what is known of others goes first, then "
        "passages, the end of the summary and the oldest of the recent conversation; the message, the asker's own "
        "items and Discord's actions stay. 0: no limit.",
    ),
    Setting(
        "DNAM_MERGE_THRESHOLD",
        Decimal,
        "0.85",
        FRACTION,
        "How alike two items' vectors are that are merged, or an item's and those of what its person forgot, for which "
        "it is refused; used with an encoder. 1: neither is done by it.",
        ("MEMORY_MERGE_THRESHOLD",),
    ),
    Setting(
        "DNAM_MESSAGE_HISTORY_BUDGET",
        int,
        "3000",
        CHARACTERS,
        "How many characters of recent conversation a prompt may hold.",
        ("DISCOCLAW_MESSAGE_HISTORY_BUDGET",),
    ),
    Setting(
        "DNAM_MESSAGE_HISTORY_COUNT",
        int,
        "20",
        Between(0, 1_000),
        "How many recent messages a prompt may hold, where `dnam config` sets no context_history.",
    ),
    Setting(
        "DNAM_LEARN",
        str,
        "addressed",
        OneOf(("addressed", "heard", "none")),
        "What is learned from, where `dnam config` does not say: what is said to the assistant, everything it hears, "
        "or nothing.",
    ),
    Setting(
        "DNAM_RETENTION_DAYS",
        int,
        "0",
        Between(0, 36_500),
        "After how many days what was said is redacted, where `dnam config` does not say. 0: never. What "
        "is that old is looked for at the start of the bot and once a day.",
    ),
    Setting(
        "DNAM_VIEW_COMMIT_EVENTS",
        int,
        "512",
        Between(1, 100_000),
        "After how many events the views are written to disk.",
    ),
)
