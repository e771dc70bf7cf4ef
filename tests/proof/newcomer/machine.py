"""A newcomer's machine: a shell that finds Python, make and what make's rules call, and a home without anything.

Where the kernel lets it, in namespaces of its own for users, mounts and processes, in which the checkout that was
cloned is hidden. What else the machine has can be read, by its path, and its network is there: packages come from it.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

TOOLS = ("awk", "bash", "cat", "cksum", "cut", "env", "make", "mkdir", "mv", "pwd", "rm", "sed", "sh", "tail", "touch")
KEPT = ("PIP_", "SSL_", "LANG")
"""Which variables are kept: where packages come from is the machine's own affair."""
HIDDEN = '"$0" -t tmpfs none "$1" && shift && exec "$@"'
"""An empty folder in the place of what stands behind `mount`; then what follows."""
SHELL = "/bin/sh"
APART = ("unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child")


class Newcomer(NamedTuple):
    """A clone of a checkout, on such a machine. `is_apart`: in namespaces of its own."""

    checkout: Path
    clone: Path
    home: Path
    tools: Path
    is_apart: bool

    def run(self, script: str, typed: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a line of shell in the clone. What is printed to both is one text, as a terminal has it."""
        kept = {name: value for name, value in os.environ.items() if name.startswith(KEPT)}
        kept |= {"HOME": str(self.home), "PATH": str(self.tools), "PIP_NO_CACHE_DIR": "1", **environment}
        apart = _hiding(self.checkout) if self.is_apart else []
        command = [*apart, str(self.tools / "bash"), "-c", script]
        return subprocess.run(
            [shutil.which(command[0]) or command[0], *command[1:]],
            cwd=self.clone,
            env=kept,
            input=typed,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )


def newcomer(checkout: Path, folder: Path) -> Newcomer:
    """A clone of what is committed, in a folder with a space in its name. CalledProcessError where git cannot."""
    clone, home, tools = folder / "a clone", folder / "home", folder / "tools"
    subprocess.run(["git", "clone", "--quiet", str(checkout), str(clone)], check=True)
    home.mkdir()
    tools.mkdir()
    for name in TOOLS:
        found = shutil.which(name)
        if found is not None:
            (tools / name).symlink_to(found)
    (tools / "python3").symlink_to(Path(getattr(sys, "_base_executable", sys.executable)).resolve())
    return Newcomer(checkout, clone, home, tools, _is_possible(checkout))


def _hiding(checkout: Path) -> list[str]:
    """In front of a command that is to run apart, where the checkout is an empty folder. It is found on this machine's
    own PATH, not on the newcomer's.
    """
    return [*APART, SHELL, "-c", HIDDEN, shutil.which("mount") or "mount", str(checkout)]


def _is_possible(checkout: Path) -> bool:
    if shutil.which(APART[0]) is None:
        return False
    nothing = [*_hiding(checkout), SHELL, "-c", 'test -z "$(ls -A "$0")"', str(checkout)]
    return subprocess.run(nothing, capture_output=True, check=False).returncode == 0
