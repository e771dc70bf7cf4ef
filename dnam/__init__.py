"""An event-sourced memory for Discord assistants.

Importing this does nothing: it reads no environment, makes no files, and loads each name when it is first asked for.
What stands here is for programs of others (docs/methods.md); all else may change from version to version.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dnam.erasing.person import Receipt
    from dnam.errors import Unknown
    from dnam.memory import Memory, Turn
    from dnam.model import ModelError, Reply
    from dnam.settings import SettingError, Settings
    from dnam.whereabouts import Heard
    from projections.context import Context
    from projections.decisions.draft import Origin
    from projections.decisions.place import PlaceSeen
    from projections.durable import Recalled
    from projections.errors import BadEvent, BadRequest, DnamError
    from projections.events.values import Audience, By, Evidence, FileDigest, Item, ModelUse, Source
    from projections.ids import Handle, Identity, Ref
    from projections.policies.compartments import Setting
    from projections.retrieval import Hit
    from replay.clock import Clock
    from replay.errors import LogError
    from replay.travel import Moment

__all__ = [
    "Audience",
    "BadEvent",
    "BadRequest",
    "By",
    "Clock",
    "Context",
    "DnamError",
    "Evidence",
    "FileDigest",
    "Handle",
    "Heard",
    "Hit",
    "Identity",
    "Item",
    "LogError",
    "Memory",
    "ModelError",
    "ModelUse",
    "Moment",
    "Origin",
    "PlaceSeen",
    "Recalled",
    "Receipt",
    "Ref",
    "Reply",
    "Setting",
    "SettingError",
    "Settings",
    "Source",
    "Turn",
    "Unknown",
    "__version__",
]
__version__ = "0.1.0"
_MODULES = {
    "Audience": "projections.events.values",
    "BadEvent": "projections.errors",
    "BadRequest": "projections.errors",
    "By": "projections.events.values",
    "Clock": "replay.clock",
    "Context": "projections.context",
    "DnamError": "projections.errors",
    "Evidence": "projections.events.values",
    "FileDigest": "projections.events.values",
    "Handle": "projections.ids",
    "Heard": "dnam.whereabouts",
    "Hit": "projections.retrieval",
    "Identity": "projections.ids",
    "Item": "projections.events.values",
    "LogError": "replay.errors",
    "Memory": "dnam.memory",
    "ModelError": "dnam.model",
    "ModelUse": "projections.events.values",
    "Moment": "replay.travel",
    "Origin": "projections.decisions.draft",
    "PlaceSeen": "projections.decisions.place",
    "Recalled": "projections.durable",
    "Receipt": "dnam.erasing.person",
    "Ref": "projections.ids",
    "Reply": "dnam.model",
    "Setting": "projections.policies.compartments",
    "SettingError": "dnam.settings",
    "Settings": "dnam.settings",
    "Source": "projections.events.values",
    "Turn": "dnam.memory",
    "Unknown": "dnam.errors",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'dnam' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_MODULES[name]), name)
