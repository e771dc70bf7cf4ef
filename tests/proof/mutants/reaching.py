"""Which tests reach which lines: learned once by running them all, and kept while no file changes."""

import platform
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import msgspec

from tests.proof.claim import Trial
from tests.proof.mutants.orders import ROOT, Reached, ReachOrder
from tests.proof.mutants.scope import Scope

KEPT = ROOT / ".prove"
CODE = ("projections", "replay", "dnam", "tests")


def reached(trial: Trial, scope: Scope, files: list[str]) -> Reached:
    """What the tests of a scope reach of these files."""
    kept = KEPT / f"mutants-{scope.key}-{_key(scope, files)}.json"
    if kept.is_file():
        return msgspec.json.decode(kept.read_bytes(), type=Reached)
    trial.say(f"{scope.key}: running the tests, to learn what they reach")
    data = asked(trial.folder, "reach", ReachOrder(list(scope.tests), files))
    KEPT.mkdir(exist_ok=True)
    for older in KEPT.glob(f"mutants-{scope.key}-*.json"):
        older.unlink()
    kept.write_bytes(data)
    return msgspec.json.decode(data, type=Reached)


def _key(scope: Scope, files: list[str]) -> str:
    """All code and tests, this Python, and what is asked."""
    every = sorted(path for name in CODE for end in ("py", "toml") for path in (ROOT / name).rglob(f"*.{end}"))
    told = sha256(f"{platform.python_version()} {scope.tests} {files}".encode())
    for path in every:
        told.update(str(path.relative_to(ROOT)).encode() + sha256(path.read_bytes()).digest())
    return told.hexdigest()[:16]


def asked(folder: Path, what: str, order: msgspec.Struct) -> bytes:
    """Have the other process do something; RuntimeError with what it said when it does not."""
    question, answer = folder / f"{what}.json", folder / f"{what}-answer.json"
    question.write_bytes(msgspec.json.encode(order))
    command = [sys.executable, "-m", "tests.proof.mutants.run", what, str(question), str(answer)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if not answer.is_file():
        raise RuntimeError((done.stdout + done.stderr)[-2000:])
    return answer.read_bytes()
