"""Who answers, summarises and extracts, and what it may cost."""

from decimal import Decimal

from dnam.settings.allowed import DOLLARS, MODEL, SECRET, URL, Between
from dnam.settings.setting import Setting

MODELS = (
    Setting(
        "ANTHROPIC_API_KEY",
        str,
        "",
        SECRET,
        "The key for Claude. Without it everything is done by the offline model.",
        secret=True,
    ),
    Setting(
        "ANTHROPIC_BASE_URL",
        str,
        "",
        URL,
        "Where Claude's API is, for compatible and local servers. Empty: Anthropic's own.",
    ),
    Setting(
        "DNAM_ANSWER_MODEL",
        str,
        "sonnet",
        MODEL,
        "The model that answers, with a key for Claude.",
    ),
    Setting(
        "DNAM_SUMMARY_MODEL",
        str,
        "haiku",
        MODEL,
        "The model that writes summaries, with a key for Claude.",
        ("DISCOCLAW_SUMMARY_MODEL",),
    ),
    Setting(
        "DNAM_DURABLE_MODEL",
        str,
        "haiku",
        MODEL,
        "The model that extracts durable items and merges them, with a key for Claude.",
        ("DISCOCLAW_DURABLE_MODEL",),
    ),
    Setting(
        "DNAM_MODEL_TIMEOUT_SECONDS",
        int,
        "30",
        Between(1, 600),
        "How long a model may take to extract, to merge or to summarise, tries again included.",
    ),
    Setting(
        "DNAM_ANSWER_TIMEOUT_SECONDS",
        int,
        "60",
        Between(1, 600),
        "How long somebody waits for an answer to begin, and then for it to go on.",
    ),
    Setting(
        "DNAM_MAX_COST_PER_DAY",
        Decimal,
        "0",
        DOLLARS,
        "How many US dollars models may cost in a day (UTC). Past it, learning waits and answers say so. 0: no limit.",
    ),
    Setting(
        "DNAM_TURNS_PER_MINUTE",
        int,
        "20",
        Between(0, 10_000),
        "How many answers of a paid model a person may get in a minute; `!memory extract` counts as one. 0: no limit.",
    ),
)
