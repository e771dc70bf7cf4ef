"""A setting, and the error that refuses one."""

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from dnam.settings.allowed import Allowed, Ids
from projections.errors import BadRequest


class SettingError(BadRequest, ValueError):
    """A setting has a value that is not allowed. The message names the variable and what it may be."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. `default` is written as a person would write it; empty means none. `raised`: what an alias gives
    that is less than is allowed counts as the least, as it does in the document that the alias is from.
    """

    name: str
    type: type[bool | int | Decimal | str | Path | Ids]
    default: str
    allowed: Allowed
    help: str
    aliases: tuple[str, ...] = ()
    secret: bool = False
    raised: bool = False

    @property
    def field(self) -> str:
        """The attribute of `Settings` that holds it, and its key in `dnam.toml`."""
        return self.name.removeprefix("DNAM_").lower()
