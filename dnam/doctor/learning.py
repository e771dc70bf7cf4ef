"""Learning: what models were shown in vain so often that it is passed over."""

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from dnam.doctor.check import Finding, Patient, skipped, well
from projections.counting import counted
from replay.errors import LogError

if TYPE_CHECKING:
    from projections.fruitless import Reader
    from replay.engine import Engine


class _Work(NamedTuple):
    """What a model reads for: in words, and the setting that names the model."""

    words: str
    setting: str


WORKS = {
    "extraction": _Work("learning from what people said", "DNAM_DURABLE_MODEL"),
    "summary": _Work("summaries", "DNAM_SUMMARY_MODEL"),
}


async def passed_over(patient: Patient) -> list[Finding]:
    """How many messages are passed over, and by which model."""
    from replay.engine import Engine

    if not (patient.data / "log").exists():
        return skipped("there is no log here yet")
    try:
        with Engine.open(patient.data, writable=False) as engine:
            counts = _counts(engine)
    except (LogError, OSError):  # the log's own check says what is wrong with it
        return skipped("the log could not be read")
    return [_finding(reader, count) for reader, count in sorted(counts.items())] or well("no message is passed over")


def _counts(engine: "Engine") -> "Counter[Reader]":
    """How many messages each reader passed over that nobody has read since, and that are still there."""
    from projections.events import MessageHeard
    from projections.fruitless import left_behind
    from replay.chronicle import LogChronicle

    log = LogChronicle(engine.live)
    with engine.reading() as rows:
        left = left_behind(rows)
    found = ((reader, log.find(message)) for message, reader in left)
    return Counter(reader for reader, record in found if record and isinstance(record.event, MessageHeard))


def _finding(reader: "Reader", count: int) -> Finding:
    work = WORKS[reader.work]
    return Finding(
        "doubt",
        f"{counted(count, 'message')} passed over in {work.words}: "
        f"{reader.model}, asked with {reader.prompt}, gave nothing of use for any of them",
        f"Where it is the wrong model, set {work.setting}: another one is shown them anew. "
        "`dnam learn` tries each once more. `dnam log` has what was replied.",
    )
