"""What takes in bytes or words that nobody vouches for. Each target may refuse what it is given, in the error that it
promises; whatever else comes of it is a defect.
"""

import shutil
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from dnam.commands.parse import parse
from dnam.commands.table import COMMANDS
from dnam.importers.detect import detect
from dnam.importers.dnam_export import DnamExport
from dnam.importers.source import ImportFailed, Options
from dnam.when import read_when
from projections.errors import BadRequest
from projections.events import EVENTS
from projections.policies.merge_replies import read_merge
from projections.policies.replies import read_extraction
from replay import codec
from replay.errors import Damaged, UnknownEvent

Target = Callable[[bytes], None]
NOW = datetime(2026, 3, 8, 6, 30, tzinfo=UTC)
ZONES = (UTC, ZoneInfo("America/New_York"), ZoneInfo("Australia/Lord_Howe"), ZoneInfo("Europe/Dublin"))
"""One in which clocks move by half an hour, one in which winter time is the exception."""
SOME = Path(tempfile.gettempdir())


def envelope(data: bytes) -> None:
    """A header, or the body of an event of any kind: what can be read is written again as it was read."""
    if not data:
        return
    kind, rest = data[0], data[1:]
    with suppress(Damaged, UnknownEvent):
        if kind == 0:
            header = codec.decode_header(rest)
            assert codec.decode_header(codec.encode_header(header)) == header
            return
        event = EVENTS[(kind - 1) % len(EVENTS)]
        read = codec.decode_body(event.TAG, event.VERSION, rest)
        again = codec.encode_body(read)
        assert codec.encode_body(codec.decode_body(event.TAG, event.VERSION, again)) == again


def reply(data: bytes) -> None:
    """What a model replied: an extraction, a merge."""
    text = data.decode("utf-8", "surrogateescape")
    read_extraction(text)
    read_merge(text)


def command(data: bytes) -> None:
    """What somebody typed."""
    parse(data.decode("utf-8", "replace"), COMMANDS)


def when(data: bytes) -> None:
    """A moment in words, in several zones."""
    text = data.decode("utf-8", "replace")
    for zone in ZONES:
        with suppress(BadRequest):
            found = read_when(text, NOW, zone)
            assert (found.seq is not None) + (found.ms is not None) + found.last_import == 1


def imported(data: bytes) -> None:
    """A file that somebody wants imported, whatever it is."""
    folder = Path(tempfile.mkdtemp(dir=SOME))
    try:
        path = folder / "some"
        path.write_bytes(data)
        _read(path)
    finally:
        shutil.rmtree(folder)


def discoclaw(data: bytes) -> None:
    """A DiscoClaw folder: durable items and a rolling summary, with a line between them."""
    folder = Path(tempfile.mkdtemp(dir=SOME))
    try:
        for name, part in zip(("durable", "rolling"), data.split(b"\n--\n", 1), strict=False):
            (folder / name).mkdir()
            (folder / name / "42.json").write_bytes(part)
        _read(folder)
    finally:
        shutil.rmtree(folder)


def _read(path: Path) -> None:
    with suppress(ImportFailed):
        source = detect(path)
        read = source.decisions() if isinstance(source, DnamExport) else source.read(Options(audience="guild"))
        for _ in read:
            pass


TARGETS: Mapping[str, Target] = {
    "envelope": envelope,
    "reply": reply,
    "importers": imported,
    "discoclaw": discoclaw,
    "commands": command,
    "time": when,
}
