"""The lines of the table of settings, by subject."""

from dnam.settings.setting import Setting
from dnam.settings.tables.discord import DISCORD
from dnam.settings.tables.memory import MEMORY
from dnam.settings.tables.model import MODELS
from dnam.settings.tables.operation import OPERATION
from dnam.settings.tables.place import PLACE

SETTINGS: tuple[Setting, ...] = (*PLACE, *MEMORY, *MODELS, *DISCORD, *OPERATION)
