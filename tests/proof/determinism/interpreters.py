"""Every Python from 3.11 on this machine, and an environment for each with what the log and its folds stand on.

Interpreters are looked for on PATH and where pyenv keeps them. Environments lie in `.prove/` in this folder, and
stay there: making one takes some seconds and the package index.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[3]
LOCK = ROOT / "requirements.lock"
KEPT = ROOT / ".prove"
NEEDED = (
    "cffi", "cryptography", "freezegun", "lmdb", "msgspec", "numpy", "pycparser", "python-dateutil",
    "snowballstemmer", "sortedcontainers", "typing-extensions",
)  # fmt: skip
"""What projections/ and replay/ import, what that imports, and what freezes a clock."""
NAMES = ("python3", *(f"python3.{minor}" for minor in range(11, 20)))
FIRST = (3, 11)
RELEASED = {
    "3.11": date(2022, 10, 24),
    "3.12": date(2023, 10, 2),
    "3.13": date(2024, 10, 7),
    "3.14": date(2025, 10, 7),
    "3.15": date(2026, 10, 1),
}
"""Minor versions from the first that is asked for, and when each came out; the last as PEP 790 plans it."""
PATIENCE_SECONDS = 300
_ASK = "import sys, json, venv, ensurepip; print(json.dumps([list(sys.version_info[:3]), sys.base_prefix]))"
_ENTRY = re.compile(r"^([a-z0-9._-]+)==")


class Interpreter(NamedTuple):
    """A Python, and why it cannot be tried where it cannot."""

    version: str
    path: Path
    short: str = ""


def interpreters() -> list[Interpreter]:
    """One of each version that can make an environment, the oldest first; the one that runs this among them."""
    found = {sys.version_info[:3]: Path(sys.executable)}
    for path in _candidates():
        version = _version(path)
        if version is not None and version[:2] >= FIRST:
            found.setdefault(version, path)
    return [Interpreter(".".join(map(str, version)), found[version]) for version in sorted(found)]


def released(day: date) -> list[str]:
    """The minor versions that had come out on a day."""
    return [minor for minor, came in RELEASED.items() if came <= day]


def minor_of(version: str) -> str:
    """3.11 of 3.11.7."""
    return version.rpartition(".")[0]


def lacking(every: Iterable[Interpreter], wanted: Iterable[str]) -> list[str]:
    """The minor versions that are wanted and of which no interpreter is here."""
    here = {minor_of(each.version) for each in every}
    return [minor for minor in wanted if minor not in here]


def _candidates() -> Iterator[Path]:
    folders = [Path(each) for each in os.get_exec_path()]
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    folders += sorted(pyenv.glob("versions/*/bin"))
    yield from (folder / name for folder in folders for name in NAMES if (folder / name).is_file())


def _version(path: Path) -> tuple[int, int, int] | None:
    """Its version; None for what is no Python, or cannot make an environment."""
    try:
        done = subprocess.run([path, "-c", _ASK], capture_output=True, text=True, check=True, timeout=60)
        major, minor, micro = json.loads(done.stdout)[0]
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return major, minor, micro


def ready(interpreter: Interpreter) -> Interpreter:
    """The interpreter of an environment with what is needed; with why, where there is none to be had."""
    if interpreter.path == Path(sys.executable):
        return interpreter
    wanted = _entries()
    folder = KEPT / f"python-{interpreter.version}-{sha256(wanted.encode()).hexdigest()[:12]}"
    python = folder / "bin" / "python"
    try:
        if not (folder / "ready").exists():
            _make(interpreter.path, folder, python, wanted)
    except subprocess.CalledProcessError as error:
        last = (error.stderr.strip().splitlines() or ["it said nothing"])[-1]
        return interpreter._replace(short=f"{interpreter.version}: {last[:160]}")
    except (OSError, subprocess.TimeoutExpired) as error:
        return interpreter._replace(short=f"{interpreter.version}: {type(error).__name__}")
    return interpreter._replace(path=python)


def _make(maker: Path, folder: Path, python: Path, wanted: str) -> None:
    _run(maker, "-m", "venv", "--clear", folder)
    (folder / "wanted.txt").write_text(wanted)
    options = ("--quiet", "--disable-pip-version-check", "--no-input", "--no-deps", "--only-binary", ":all:")
    _run(python, "-m", "pip", "install", *options, "--require-hashes", "-r", folder / "wanted.txt")
    (folder / "ready").touch()


def _run(*command: str | Path) -> None:
    subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE_SECONDS)


def _entries() -> str:
    """The entries of the lock file that are needed, hashes and all."""
    kept: list[str] = []
    is_wanted = False
    for line in LOCK.read_text().splitlines():
        entry = _ENTRY.match(line)
        if entry is not None:
            is_wanted = entry[1] in NEEDED
        if is_wanted and not line.lstrip().startswith("#"):
            kept.append(line)
    return "\n".join(kept) + "\n"
