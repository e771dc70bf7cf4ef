"""Disks of a test's own: a program in a namespace in which it may mount what it likes."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.replay.stage import ROOT

CANNOT_MOUNT = 77
"""What such a program ends with where mounting is refused."""


def unshare_or_skip() -> str:
    """The program that runs another one in a namespace; the test is skipped where there is none."""
    unshare = shutil.which("unshare")
    if unshare is None or subprocess.run([unshare, "-m", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no mount namespaces here")
    return unshare


def mounting(code: str, *arguments: Path) -> str:
    """Run code that mounts something, with these in sys.argv; what it printed. Where nothing can be mounted, the test
    is skipped.
    """
    command = [unshare_or_skip(), "-m", sys.executable, "-c", code, *map(str, arguments)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if run.returncode == CANNOT_MOUNT:
        pytest.skip("nothing can be mounted here")
    assert run.returncode == 0, run.stderr
    return run.stdout
