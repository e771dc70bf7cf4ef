"""What programs of others may rely on: every method of a memory is listed as such, or as dnam's own."""

import inspect
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain
from typing import Any, Literal, get_args, get_origin, get_type_hints

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


STANDARD = ("builtins", "collections.abc", "datetime", "pathlib", "types", "typing")


def named_in(annotation: Any) -> Iterator[Any]:
    """The types that an annotation is made of; literal values are none."""
    if get_origin(annotation) is Literal:
        return
    arguments = get_args(annotation)
    for each in arguments:
        yield from named_in(each)
    if not arguments and annotation not in (None, ...):
        yield annotation


def test_every_type_in_a_signature_comes_from_dnam() -> None:
    """A method that wants what nobody can import cannot be called."""
    found: dict[str, Any] = {}
    for name in chain.from_iterable(FOR_PROGRAMS.values()):
        method: Any = inspect.getattr_static(Memory, name)
        method = method.fget if isinstance(method, property) else getattr(method, "__func__", method)
        for hint in get_type_hints(inspect.unwrap(method)).values():
            found |= {each.__name__: each for each in named_in(hint)}
    own = {name: each for name, each in found.items() if each.__module__ not in STANDARD}
    assert {"By", "Handle", "Item", "Setting"} <= own.keys()
    assert {name: getattr(dnam, name, None) for name in own} == own
    assert own.keys() <= set(dnam.__all__)


def test_it_is_loaded_when_it_is_asked_for() -> None:
    loads = "import sys, dnam; before = 'lmdb' in sys.modules; dnam.PlaceSeen; print(before, 'lmdb' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", loads], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False", "False"]
