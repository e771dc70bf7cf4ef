"""What programs of others may rely on: every method of a memory is listed as such, or as dnam's own."""

import subprocess
import sys
from itertools import chain

import pytest

import dnam
from dnam import Memory
from dnam.method_reference import FOR_PROGRAMS, OF_THE_SHELL, methods_page


def test_every_public_name_is_for_programs_or_of_the_shell() -> None:
    listed = [*chain.from_iterable(FOR_PROGRAMS.values())]
    public = {name for name in dir(Memory) if not name.startswith("_")}
    assert len(listed) == len(set(listed))
    assert set(listed) | OF_THE_SHELL == public
    assert OF_THE_SHELL.isdisjoint(listed)


def test_the_page_says_how_each_is_called() -> None:
    page = methods_page()
    assert all(f"### {name}\n" in page for name in chain.from_iterable(FOR_PROGRAMS.values()))
    assert "await memory.share(\n    user: str | Handle,\n    id: str,\n    *,\n    platform: str = 'local',\n" in page
    assert "async with Memory.open(\n    path: str | Path | None = None,\n" in page
    assert "memory.now() -> int\n" in page
    assert not any(f"### {name}\n" in page for name in OF_THE_SHELL)


def test_what_programs_need_comes_from_dnam() -> None:
    for name in dnam.__all__:
        assert getattr(dnam, name) is not None
    assert issubclass(dnam.Unknown, dnam.BadRequest)
    with pytest.raises(AttributeError, match="no attribute 'Memmory'"):
        _ = dnam.Memmory


def test_it_is_loaded_when_it_is_asked_for() -> None:
    loads = "import sys, dnam; before = 'lmdb' in sys.modules; dnam.PlaceSeen; print(before, 'lmdb' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", loads], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False", "False"]
