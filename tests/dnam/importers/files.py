"""Invented files of other programs, made small by defaults."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dnam.importers.detect import detect
from dnam.importers.source import Arrival, Arrived, ImportFailed, Options, Skipped, Source
from projections.decisions.hear import HeardRequest

T0 = 1_700_000_000_000
"""2023-11-14T22:13:20Z, in ms."""
SAMPLE = Path(__file__).parents[3] / "data" / "samples" / "garden-club.json"


def flake(milliseconds: int, low: int = 0) -> str:
    """A Discord id of that time."""
    return str(((milliseconds - 1_420_070_400_000) << 22) + low)


def iso(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")


def user(
    name: str, key: str = "", nickname: str | None = None, bot: bool = False, disc: str = "1234"
) -> dict[str, Any]:
    key = key or str(int.from_bytes(name.encode()[:7], "big"))
    return {"id": key, "name": name, "nickname": nickname, "discriminator": disc, "isBot": bot, "roles": []}


KIM, LEE = user("kim", nickname="Kim"), user("lee", nickname="Lee")
BOT = user("dnam", bot=True)


def message(n: int, content: str | None = "hello", author: dict[str, Any] = KIM, **more: Any) -> dict[str, Any]:
    """The n-th message: n seconds after T0."""
    said = T0 + n * 1000
    made = {"id": flake(said), "type": "Default", "timestamp": iso(said), "timestampEdited": None, "content": content}
    return made | {"author": author, "attachments": [], "embeds": [], "stickers": [], "mentions": []} | more


def export(*messages: object, kind: str = "GuildTextChat", **channel: Any) -> dict[str, Any]:
    head = {"id": "500", "type": kind, "categoryId": "400", "category": "rooms", "name": "talk", "topic": None}
    guild = {"id": "100", "name": "The Guild", "iconUrl": ""}
    if kind.startswith("Direct"):
        guild = {"id": "0", "name": "Direct Messages", "iconUrl": ""}
    body = {"messages": list(messages), "messageCount": len(messages)}
    return {"guild": guild, "channel": head | channel, "dateRange": {}, "exportedAt": iso(T0)} | body


def turn(session: int, n: int, speaker: str, text: str = "hello", **more: Any) -> dict[str, Any]:
    return {"speaker": speaker, "dia_id": f"D{session}:{n}", "text": text} | more


def sample(key: str | None, first: str, second: str, *sessions: tuple[str | None, Sequence[object]]) -> dict[str, Any]:
    conversation: dict[str, Any] = {"speaker_a": first, "speaker_b": second}
    for number, (date, turns) in enumerate(sessions, 1):
        conversation[f"session_{number}"] = turns
        if date is not None:
            conversation[f"session_{number}_date_time"] = date
    made = {"qa": [{"question": "?", "answer": 7, "evidence": []}], "conversation": conversation, "observation": {}}
    return made if key is None else made | {"sample_id": key}


def write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def source(folder: Path, value: object) -> Source:
    return detect(write(folder / "given", value))


def requests(arrivals: Iterable[Arrival]) -> list[HeardRequest]:
    return [each.request for each in arrivals if isinstance(each, Arrived)]


def heard(folder: Path, value: object, options: Options | None = None) -> list[HeardRequest]:
    """What is heard of a file with this value in it."""
    return requests(source(folder, value).read(options or Options()))


def reasons(arrivals: Iterable[Arrival]) -> Counter[str]:
    return Counter(each.reason for each in arrivals if isinstance(each, Skipped))


def until_error(arrivals: Iterable[Arrival]) -> tuple[list[Arrival], ImportFailed | None]:
    """What was given, and the error at its end."""
    given: list[Arrival] = []
    try:
        given.extend(arrivals)
    except ImportFailed as error:
        return given, error
    return given, None
