"""What `import` says of what it read and what came of it, in words and as JSON."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dnam.cli.screen import Screen, note
from projections.counting import counted

if TYPE_CHECKING:
    from pathlib import Path

    from dnam.importers.given import LeftOut, Sources
    from dnam.importing.tally import Tally


def tell_folders(found: "Sources") -> None:
    """Of each folder of exports, which files of it are taken and which are something else."""
    folders = dict.fromkeys(path.parent for path in found.of_folders)
    for folder in folders:
        taken = [path.name for path in found.of_folders if path.parent == folder]
        note(f"{folder}: {counted(len(taken), 'export')} of Discord channels: {', '.join(taken)}")
        others = [each for each in found.left_out if each.path.parent == folder]
        if others:
            named = ", ".join(each.path.name for each in others)
            note(f"{folder}: left out, being something else: {named}")


def in_words(tally: "Tally") -> str:
    """What came in, and what did not."""
    counts = [(tally.messages, "message"), (tally.edits, "edit"), (tally.items, "item"), (tally.summaries, "summary")]
    new = [counted(count, word) for count, word in counts if count]
    parts = [f"imported {', '.join(new)}" if new else "imported nothing new"]
    if tally.narrowed:
        parts.append(f"restricted {counted(tally.narrowed, 'channel')} that everybody in the guild could read")
    if tally.known:
        parts.append(f"{tally.known} known already")
    if tally.skipped:
        parts.append(f"{tally.skipped.total()} skipped")
    return "; ".join(parts)


def say_tally(out: Screen, tally: "Tally") -> None:
    """The same as an answer, with the reasons; a program reads it with what was learned."""
    if out.as_json:
        return
    out.line(in_words(tally).capitalize() + ".")
    say_reasons(out, tally, "skipped", "changed")


def say_reasons(out: Screen, tally: "Tally", skipped: str, changed: str) -> None:
    """Why something was not taken, or not as it was, most often first."""
    for word, reasons in ((skipped, tally.skipped), (changed, tally.changed)):
        for reason, count in Counter(reasons).most_common():
            out.line(f"  {word} {count}: {reason}{tally.where(reason)}")


def tally_value(tally: "Tally", files: "Sequence[Path]" = (), left_out: "Sequence[LeftOut]" = ()) -> dict[str, object]:
    """The same for programs, with the files that it is of; of a folder of exports, also those which were left out."""
    return {
        "read": tally.read,
        "messages": tally.messages,
        "edits": tally.edits,
        "items": tally.items,
        "summaries": tally.summaries,
        "narrowed": tally.narrowed,
        "known": tally.known,
        "events": tally.events,
        "skipped": dict(tally.skipped),
        "skipped_at": tally.skipped_at,
        "changed": dict(tally.changed),
        "changed_at": tally.changed_at,
        "files": list(files),
        "left_out": [{"file": each.path, "why": each.why} for each in left_out],
    }
