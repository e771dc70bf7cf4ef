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

from dnam.commands.parse import Call, parse
from dnam.commands.table import COMMANDS
from dnam.importers.detect import detect
from dnam.importers.dnam_export import DnamExport
from dnam.importers.source import FORMATS, Format, ImportFailed, Options
from dnam.when import read_when
from projections.errors import BadRequest
from projections.events import EVENTS, Event
from projections.policies.merge_replies import read_merge
from projections.policies.replies import Unreadable, read_extraction
from replay import codec
from replay.errors import Damaged, UnknownEvent
from tests.proof.fuzzing.tally import UNKNOWN, Outcome

Target = Callable[[bytes], Outcome]
NOW = datetime(2026, 3, 8, 6, 30, tzinfo=UTC)
ZONES = (UTC, ZoneInfo("America/New_York"), ZoneInfo("Australia/Lord_Howe"), ZoneInfo("Europe/Dublin"))
"""One in which clocks move by half an hour, one in which winter time is the exception."""
SOME = Path(tempfile.gettempdir())
HEADER = "header"
FOLDERS: Format = "discoclaw"
"""The one format that is a folder, and a target of its own."""


def envelope(data: bytes) -> Outcome:
    """A header, or the body of an event of any kind: what can be read is written again as it was read."""
    number = data[0] if data else 0
    if number == 0:
        return Outcome(HEADER, _is_header(data[1:]))
    event = EVENTS[(number - 1) % len(EVENTS)]
    return Outcome(event.TAG, _is_body(event, data[1:]))


def _is_header(data: bytes) -> bool:
    with suppress(Damaged, UnknownEvent):
        header = codec.decode_header(data)
        assert codec.decode_header(codec.encode_header(header)) == header
        return True
    return False


def _is_body(event: type[Event], data: bytes) -> bool:
    with suppress(Damaged, UnknownEvent):
        again = codec.encode_body(codec.decode_body(event.TAG, event.VERSION, data))
        assert codec.encode_body(codec.decode_body(event.TAG, event.VERSION, again)) == again
        return True
    return False


def reply(data: bytes) -> Outcome:
    """What a model replied: an extraction, a merge."""
    text = data.decode("utf-8", "surrogateescape")
    read = (read_extraction(text), read_merge(text))
    return Outcome("reply", not all(isinstance(each, Unreadable) for each in read))


def command(data: bytes) -> Outcome:
    """What somebody typed."""
    return Outcome("commands", isinstance(parse(data.decode("utf-8", "replace"), COMMANDS), Call))


def when(data: bytes) -> Outcome:
    """A moment in words, in several zones."""
    text = data.decode("utf-8", "replace")
    is_accepted = False
    for zone in ZONES:
        with suppress(BadRequest):
            found = read_when(text, NOW, zone)
            assert (found.seq is not None) + (found.ms is not None) + found.last_import == 1
            is_accepted = True
    return Outcome("time", is_accepted)


def imported(data: bytes) -> Outcome:
    """A file that somebody wants imported, whatever it is."""
    folder = Path(tempfile.mkdtemp(dir=SOME))
    try:
        path = folder / "some"
        path.write_bytes(data)
        return _read(path)
    finally:
        shutil.rmtree(folder)


def discoclaw(data: bytes) -> Outcome:
    """A DiscoClaw folder: durable items and a rolling summary, with a line between them."""
    folder = Path(tempfile.mkdtemp(dir=SOME))
    try:
        for name, part in zip(("durable", "rolling"), data.split(b"\n--\n", 1), strict=False):
            (folder / name).mkdir()
            (folder / name / "42.json").write_bytes(part)
        return _read(folder)
    finally:
        shutil.rmtree(folder)


def _read(path: Path) -> Outcome:
    """By format."""
    kind = UNKNOWN
    with suppress(ImportFailed):
        source = detect(path)
        kind = source.format
        read = source.decisions() if isinstance(source, DnamExport) else source.read(Options(audience="guild"))
        for _ in read:
            pass
        return Outcome(kind, is_accepted=True)
    return Outcome(kind, is_accepted=False)


TARGETS: Mapping[str, Target] = {
    "envelope": envelope,
    "reply": reply,
    "importers": imported,
    "discoclaw": discoclaw,
    "commands": command,
    "time": when,
}
KINDS: Mapping[str, tuple[str, ...]] = {
    **{name: (name,) for name in TARGETS},
    "envelope": (HEADER, *(event.TAG for event in EVENTS)),
    "importers": (*(each for each in FORMATS if each != FOLDERS), UNKNOWN),
}
"""Of which kinds a target's inputs are, as it numbers them."""
