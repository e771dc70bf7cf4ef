"""Who answers, summarises and extracts, and what it may cost."""

from decimal import Decimal

from dnam.settings.allowed import DOLLARS, FRACTION, MODEL, SECRET, SWITCH, URL, Between, OneOf
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
        "Where Claude's API is, for compatible and local servers. Empty: Anthropic's own. It is asked once there is an "
        "ANTHROPIC_API_KEY: one that needs no key takes any.",
    ),
    Setting(
        "DNAM_ANSWER_MODEL",
        str,
        "sonnet",
        MODEL,
        "The model that answers, with a key for Claude.",
    ),
    Setting(
        "DNAM_MODEL_TOOLS",
        bool,
        "1",
        SWITCH,
        "Whether the model that answers may note something down, and look for something, by tools of its own, where "
        "`dnam config` does not say.",
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
        "How many US dollars models may cost in a day (UTC). Past it, learning waits and answers say so. 0: no limit. "
        "`dnam rederive` is not held against it, and has --max-cost.",
    ),
    Setting(
        "DNAM_TURNS_PER_MINUTE",
        int,
        "20",
        Between(0, 10_000),
        "How many answers of a paid model a person may get in a minute; `!memory extract` counts as one. 0: no limit.",
    ),
    Setting(
        "DNAM_ENCODER",
        str,
        "auto",
        OneOf(("auto", "voyage", "local", "none")),
        "What makes vectors of texts, so that they are found by their meaning too: Voyage AI (dnam[voyage]), which is "
        "sent what was said, a model on this machine (dnam[local]), or nothing. auto: Voyage with a key for it.",
    ),
    Setting(
        "VOYAGE_API_KEY",
        str,
        "",
        SECRET,
        "The key for Voyage AI's encoders.",
        secret=True,
    ),
    Setting(
        "VOYAGE_BASE_URL",
        str,
        "",
        URL,
        "Where Voyage's API is, for compatible and local servers, as https://host/v1. Empty: Voyage's own.",
    ),
    Setting(
        "DNAM_ENCODER_MODEL",
        str,
        "voyage-3.5-lite",
        MODEL,
        "Voyage's model. Where it or its dimensions change, vectors are made anew beside the old ones.",
    ),
    Setting(
        "DNAM_ENCODER_DIMENSIONS",
        int,
        "1024",
        Between(64, 4_096),
        "How many numbers a vector of Voyage's has; most of its models can have 256, 512, 1024 or 2048.",
    ),
    Setting(
        "DNAM_ENCODER_THRESHOLD",
        Decimal,
        "0.3",
        FRACTION,
        "How alike the vectors of a question and of a text are, as a cosine, for the text to be found by its meaning.",
        ("MEMORY_SIMILARITY_THRESHOLD",),
    ),
    Setting(
        "DNAM_ENCODER_MEMORY_MB",
        int,
        "256",
        Between(1, 65_536),
        "How much memory opened vectors may take: those of 250,000 texts take 256 MB at 1,024 numbers each. All of a "
        "place are compared, however many; those that have no room are opened for each question, a thousand in 5 ms.",
    ),
)
