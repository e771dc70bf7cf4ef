"""An event-sourced memory for Discord assistants.

Importing this does nothing: it reads no environment, makes no files, and loads `Memory` when it is first asked for.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dnam.memory import Memory

__all__ = ["Memory", "__version__"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name != "Memory":
        raise AttributeError(f"module 'dnam' has no attribute {name!r}")
    from importlib import import_module

    return import_module("dnam.memory").Memory
