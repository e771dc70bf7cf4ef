"""What is kept beside the memory, and how a running dnam is watched."""

from pathlib import Path

from dnam.settings.allowed import FOLDER, HOST, PASSPHRASE, PORT, SWITCH, OneOf
from dnam.settings.setting import Setting

OPERATION = (
    Setting(
        "DNAM_JSON_MIRROR",
        bool,
        "0",
        SWITCH,
        "Whether DiscoClaw's own files (durable/*.json, rolling/*.json) are kept up beside the memory, in the clear.",
    ),
    Setting(
        "DNAM_JSON_MIRROR_DIR",
        Path,
        "",
        FOLDER,
        "Where these files lie, in a folder of their own. Empty: in mirror/ in the folder of the memory.",
    ),
    Setting(
        "DNAM_DURABLE_DATA_DIR",
        Path,
        "",
        FOLDER,
        "Where the mirror keeps the files of durable items. Empty: in durable/ in its folder. Files of DiscoClaw's own "
        "are never written over: `dnam import` brings them in, and `dnam doctor` says whether it has.",
        ("DISCOCLAW_DURABLE_DATA_DIR",),
    ),
    Setting(
        "DNAM_SUMMARY_DATA_DIR",
        Path,
        "",
        FOLDER,
        "Where the mirror keeps the files of rolling summaries. Empty: in rolling/ in its folder. As for "
        "DNAM_DURABLE_DATA_DIR, files of DiscoClaw's own stay as they are.",
        ("DISCOCLAW_SUMMARY_DATA_DIR",),
    ),
    Setting(
        "DNAM_BACKUP_PASSPHRASE",
        str,
        "",
        PASSPHRASE,
        "The passphrase of the keys in a backup. Empty: it is asked for in the terminal.",
        secret=True,
    ),
    Setting(
        "DNAM_LOG_FORMAT",
        str,
        "text",
        OneOf(("text", "json")),
        "How the running bot writes its log: for people, or one JSON object a line. Neither holds what people say.",
    ),
    Setting(
        "DNAM_LOG_LEVEL",
        str,
        "info",
        OneOf(("debug", "info", "warning", "error")),
        "What the log begins with.",
    ),
    Setting(
        "DNAM_HEALTH_PORT",
        int,
        "0",
        PORT,
        "A port for /healthz and Prometheus' /metrics while the bot runs. 0: none.",
        ("DNAM_METRICS_PORT",),
    ),
    Setting(
        "DNAM_HEALTH_HOST",
        str,
        "127.0.0.1",
        HOST,
        "The address on which that port is open. It needs no password: only 127.0.0.1 is safe without a firewall.",
    ),
)
