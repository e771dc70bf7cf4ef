"""A trace of strace, read: every call that can change a disk, in order, with its bytes.

    4711 pwrite64(7, "\\x00\\x01", 2, 32) = 2
    4711 fdatasync(6 <unfinished ...>             another thread's calls come in between
    4711 <... fdatasync resumed>) = 0

Strings are hexadecimal (-xx) and never cut. A call that is not known here is an error: what changed the disk unseen
would be a proof of nothing.
"""

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

CHANGING = (
    "openat", "open", "creat", "close", "dup", "dup2", "dup3", "lseek", "write", "pwrite64", "writev", "pwritev",
    "pwritev2", "fsync", "fdatasync", "sync_file_range", "msync", "mmap", "ftruncate", "truncate", "fallocate",
    "rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir", "mkdirat", "rmdir", "link", "linkat", "symlink",
    "symlinkat", "sendfile", "copy_file_range", "splice", "io_uring_setup",
)  # fmt: skip
"""Calls that change files or folders, and what is needed to know which."""
MOST_BYTES = 1 << 26
"""No call writes more; a longer text is an error, since it is cut."""
_LINE = re.compile(r"(\d+) +(.*)", re.DOTALL)
_RESUMED = re.compile(r"<\.\.\. (\w+) resumed>(.*)", re.DOTALL)
_RESULT = re.compile(r"(\w+)\((.*)\) += (-?\d+|0x[0-9a-f]+|\?)(?: .*)?", re.DOTALL)
_STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?')
_UNFINISHED = " <unfinished ...>"


class UnknownCall(Exception):
    """A line of the trace that says something about which nothing is known here."""


class Call(NamedTuple):
    """A call as it began, or as it ended: `result` is None where it only begins here."""

    thread: int
    name: str
    arguments: str
    result: int | None

    @property
    def strings(self) -> list[bytes]:
        """The texts and bytes that were handed in."""
        found = list(_STRING.finditer(self.arguments))
        if any(each[2] for each in found):
            raise UnknownCall(f"cut short: {self.name}")
        return [bytes.fromhex(each[1].replace("\\x", "")) for each in found]

    @property
    def words(self) -> list[str]:
        """The arguments, with a word for each text."""
        return [each.strip() for each in _STRING.sub("TEXT", self.arguments).split(",")]

    def number(self, at: int) -> int:
        """An argument that is a number; -1 counts from behind."""
        return int(self.words[at], 0)


def strace() -> str | None:
    """The program, where it is here and may be used."""
    found = shutil.which("strace")
    works = (
        found is not None and not subprocess.run([found, "-qq", "true"], capture_output=True, check=False).returncode
    )
    return found if works else None


def record(into: Path, command: Sequence[str], environment: Mapping[str, str]) -> None:
    """Run a command and keep its trace. CalledProcessError where it fails."""
    program = strace()
    assert program is not None
    options = ["-f", "--seccomp-bpf", "-qq", "-xx", "-v", "-s", str(MOST_BYTES), "-e", "signal=none"]
    options += ["-e", f"trace={','.join(f'?{name}' for name in CHANGING)}", "-o", str(into)]
    subprocess.run([program, *options, *command], env=environment, check=True, stdout=subprocess.PIPE)


def calls(lines: Iterator[str]) -> Iterator[Call]:
    """The calls of a trace: each once, as it ended; those during which others came in between also as they began."""
    begun: dict[int, str] = {}
    for line in lines:
        found = _LINE.fullmatch(line.rstrip("\n"))
        if found is None:
            raise UnknownCall(line[:200])
        thread, text = int(found[1]), found[2]
        if text.startswith(("+++", "---")):
            continue
        if text.endswith(_UNFINISHED):
            begun[thread] = text.removesuffix(_UNFINISHED)
            name, _, arguments = begun[thread].partition("(")
            yield Call(thread, name, arguments, None)
            continue
        resumed = _RESUMED.fullmatch(text)
        yield _ended(thread, text if resumed is None else begun.pop(thread) + resumed[2])


def _ended(thread: int, text: str) -> Call:
    found = _RESULT.fullmatch(text)
    if found is None or found[3] == "?":
        raise UnknownCall(text[:200])
    return Call(thread, found[1], found[2], int(found[3], 0))
