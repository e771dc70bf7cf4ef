"""Context files: what the operator wrote about the assistant and its channels. The prompt lists them; their text is
system text.

DNAM_CONTEXT_DIR/base/*.md              always, in the order of their names
DNAM_CONTEXT_DIR/channels/<channel>.md  in that channel
"""

import hashlib
from pathlib import Path
from typing import NamedTuple

from projections.events.values import FileDigest


class ContextFile(NamedTuple):
    """A file's path as the prompt lists it, and its text."""

    path: str
    text: str

    @property
    def digest(self) -> FileDigest:
        """What the turn's event keeps of it."""
        return FileDigest(self.path, hashlib.sha256(self.text.encode()).digest())


def context_files(folder: Path | None, channel: str) -> tuple[ContextFile, ...]:
    """The files for a channel; none without a folder. A file that cannot be read is an error, not silence."""
    if folder is None:
        return ()
    paths = sorted((folder / "base").glob("*.md"))
    own = folder / "channels" / f"{Path(channel).name}.md"
    if channel and own.is_file():
        paths.append(own)
    return tuple(ContextFile(f"/{path.relative_to(folder)}", path.read_text(encoding="utf-8")) for path in paths)
