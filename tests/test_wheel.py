"""The wheel, installed into an empty environment in another folder: the example and the chat run there."""

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.test_readme import ROOT, blocks


def run(*command: str | Path, cwd: Path, given: str = "") -> subprocess.CompletedProcess[str]:
    """A command outside of this checkout."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "DNAM_"))}
    return subprocess.run(
        [str(each) for each in command],
        cwd=cwd,
        input=given,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def pins(folder: Path) -> Path:
    """The lock file as constraints: the same versions, without hashes, which pip cannot hold against a local wheel."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    path = folder / "pins.txt"
    path.write_text("\n".join(re.findall(r"^[a-z0-9][^\\\n]*==[^\\\n]+", lock, re.MULTILINE)))
    return path


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an environment in which there is nothing but the wheel and what it asks for."""
    folder = tmp_path_factory.mktemp("somewhere else")
    built = run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, cwd=ROOT)
    assert built.returncode == 0, built.stderr
    (wheel,) = folder.glob("dnam-*.whl")
    venv.create(folder / "env")
    install = ("-m", "pip", "--python", folder / "env/bin/python", "install", "--no-compile", "-q", "-c", pins(folder))
    pip = run(sys.executable, *install, wheel, cwd=folder)
    if "NewConnectionError" in pip.stderr and not os.environ.get("CI"):
        pytest.skip("no package registry can be reached from here")
    assert pip.returncode == 0, pip.stderr
    return folder


def test_what_is_installed_is_whole(home: Path) -> None:
    """One test, for making the environment takes much longer than all of it."""
    the_readme_s_example_runs(home)
    the_chat_runs_and_remembers(home)
    types_and_data_files_are_in_it(home)


def the_readme_s_example_runs(home: Path) -> None:
    (example,) = blocks("python")
    ran = run(home / "env/bin/python", "-c", example, cwd=home)
    assert (ran.returncode, ran.stdout) == (0, "['my train leaves at 7:40']\n"), ran.stderr


def the_chat_runs_and_remembers(home: Path) -> None:
    dnam = home / "env/bin/dnam"
    told = run(dnam, "chat", "--data", "d", "--as", "ada", cwd=home, given="!memory remember likes figs\n")
    assert "Remembered: likes figs" in told.stdout, told.stderr
    again = run(dnam, "chat", "--data", "d", "--as", "ada", cwd=home, given="!memory\n")
    assert "likes figs" in again.stdout


def types_and_data_files_are_in_it(home: Path) -> None:
    code = (
        "import dnam, dnam.languages as languages, pathlib;"
        "print(languages.available(), (pathlib.Path(dnam.__file__).parent / 'py.typed').exists())"
    )
    ran = run(home / "env/bin/python", "-c", code, cwd=home)
    assert ran.stdout == "('en',) True\n", ran.stderr
    assert run(home / "env/bin/dnam", "--version", cwd=home).stdout.startswith("dnam 0.1.0\nlog format 1\n")
