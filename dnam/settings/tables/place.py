"""Where dnam keeps its things, and how it speaks."""

from pathlib import Path

from dnam.settings.allowed import FILE, FOLDER, LANGUAGE, NAME, Zone
from dnam.settings.setting import Setting

PLACE = (
    Setting("DNAM_DATA", Path, "data", FOLDER, "Where the log, the keys and the views are kept."),
    Setting(
        "DNAM_CONFIG",
        Path,
        "",
        FILE,
        "A TOML file with settings, which wins over the environment. Empty: dnam.toml in the folder where dnam is "
        "started, if there is one.",
    ),
    Setting("DNAM_TIMEZONE", str, "", Zone(), "The zone in which times are shown to people. Empty: the system's."),
    Setting(
        "DNAM_LANGUAGE",
        str,
        "en",
        LANGUAGE,
        "The language that the offline model, the stop list and the guards assume.",
    ),
    Setting(
        "DNAM_ASSISTANT_NAME",
        str,
        "dnam",
        NAME,
        "What the assistant is called in prompts and in the chat. In Discord, where nothing is set, it goes by the "
        "bot's name there.",
    ),
    Setting(
        "DNAM_CONTEXT_DIR",
        Path,
        "",
        FOLDER,
        "A folder of text files that open every prompt: base/*.md, and in a channel and its threads "
        "channels/CHANNEL_ID.md, else channels/SERVER_ID/NAME.md, else channels/NAME.md where DNAM_ALLOW_GUILDS names "
        "one server, and there alone. A thread's own name opens none. Without a base/core.md of its own, the one that "
        "comes with dnam is used. A name that begins with a dot is none of them; a file that cannot be read keeps "
        "answers from being given where it counts, since it may hold rules.",
    ),
)
