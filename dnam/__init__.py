"""An event-sourced memory for Discord assistants.

Importing this does nothing: it reads no environment, makes no files, and loads each name when it is first asked for.
What stands here is for programs of others (docs/methods.md); all else may change from version to version.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dnam.errors import Unknown
    from dnam.memory import Memory
    from dnam.model import ModelError
    from dnam.settings import SettingError
    from projections.decisions.draft import Origin
    from projections.decisions.place import PlaceSeen
    from projections.errors import BadEvent, BadRequest, DnamError
    from projections.ids import Identity, Ref
    from replay.errors import LogError

__all__ = [
    "BadEvent",
    "BadRequest",
    "DnamError",
    "Identity",
    "LogError",
    "Memory",
    "ModelError",
    "Origin",
    "PlaceSeen",
    "Ref",
    "SettingError",
    "Unknown",
    "__version__",
]
__version__ = "0.1.0"
_MODULES = {
    "BadEvent": "projections.errors",
    "BadRequest": "projections.errors",
    "DnamError": "projections.errors",
    "Identity": "projections.ids",
    "LogError": "replay.errors",
    "Memory": "dnam.memory",
    "ModelError": "dnam.model",
    "Origin": "projections.decisions.draft",
    "PlaceSeen": "projections.decisions.place",
    "Ref": "projections.ids",
    "SettingError": "dnam.settings",
    "Unknown": "dnam.errors",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'dnam' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_MODULES[name]), name)
