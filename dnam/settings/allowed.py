"""What a setting's value may be: a test, and the same in words for the reference and for refusals."""

import re
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Protocol

Ids = tuple[str, ...]
Value = bool | int | Decimal | str | Path | Ids | None


class Allowed(Protocol):
    """What a value may be."""

    @property
    def words(self) -> str: ...

    def admits(self, value: Value) -> bool: ...


@dataclass(frozen=True, slots=True)
class Between:
    low: int
    high: int

    @property
    def words(self) -> str:
        return f"a whole number from {self.low} to {self.high}"

    def admits(self, value: Value) -> bool:
        return isinstance(value, int) and self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Amount:
    """A decimal number, exact: money and thresholds are no floats."""

    low: Decimal
    high: Decimal

    @property
    def words(self) -> str:
        return f"a number from {self.low} to {self.high}"

    def admits(self, value: Value) -> bool:
        return isinstance(value, Decimal) and self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Shaped:
    """A text that matches a pattern from its first character to its last."""

    pattern: str
    words: str

    def admits(self, value: Value) -> bool:
        return isinstance(value, str) and re.fullmatch(self.pattern, value) is not None


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of a few words."""

    values: tuple[str, ...]

    @property
    def words(self) -> str:
        return f"one of {', '.join(self.values)}"

    def admits(self, value: Value) -> bool:
        return value in self.values


@dataclass(frozen=True, slots=True)
class EachShaped:
    """A list whose every entry matches a pattern."""

    pattern: str
    words: str

    def admits(self, value: Value) -> bool:
        return isinstance(value, tuple) and all(re.fullmatch(self.pattern, each) for each in value)


@dataclass(frozen=True, slots=True)
class Zone:
    words: str = "an IANA time zone, as Europe/Berlin"

    def admits(self, value: Value) -> bool:
        # Imported late: it is slow to load, and hardly anybody sets a zone.
        from zoneinfo import ZoneInfo

        try:
            ZoneInfo(str(value))
        except (KeyError, ValueError, OSError):  # unknown; not a plain name; a folder of zones
            return False
        return True


@dataclass(frozen=True, slots=True)
class Address:
    """Whether it is one of this machine's shows when it is opened."""

    words: str = "an IP address of this machine, as 127.0.0.1 or 0.0.0.0, or localhost"

    def admits(self, value: Value) -> bool:
        from ipaddress import ip_address

        try:
            return value == "localhost" or bool(ip_address(str(value)))
        except ValueError:
            return False


@dataclass(frozen=True, slots=True)
class Anything:
    """Whatever could be read as the setting's type."""

    words: str

    def admits(self, value: Value) -> bool:
        return value is not None


SWITCH = Anything("1, true, yes, on; 0, false, no, off")
FOLDER = Anything("a folder")
FILE = Anything("a file")
MODEL = Shaped(r"\S+", "a model's name, without spaces")
SECRET = Shaped(r"[!-~]+", "one word of plain letters, digits and signs")
PASSPHRASE = Shaped(r".{8,1024}", "8 or more characters")
LANGUAGE = Shaped(r"[a-z]{2,8}(-[a-z0-9]{1,8})*", "a language tag in small letters, as en")
# Names stand in prompts, in brackets and on a line of their own.
NAME = Shaped(
    r"[^\s\[\](){}<>]([^\[\](){}<>\x00-\x1f\x7f\u2028\u2029]{0,30}[^\s\[\](){}<>])?",
    "1 to 32 characters, one line, no brackets",
)
# A password has no place in an address: addresses are shown.
URL = Shaped(r"https?://[^\s@/]+(/[^\s@?#]*)?", "an address, as https://host/path, without a password")
HOST = Address()
# A snowflake is an unsigned 64-bit number: https://docs.discord.com/developers/reference#snowflakes
SNOWFLAKE = Shaped(r"[0-9]{1,20}", "an id of Discord's, in digits")
SNOWFLAKES = EachShaped(r"[0-9]{1,20}", "ids of Discord's, in digits, with commas or spaces between them")
PORT = Between(0, 65_535)
CHARACTERS = Between(0, 100_000)
TURNS = Between(1, 1_000)
DOLLARS = Amount(Decimal(0), Decimal(1_000_000))
FRACTION = Amount(Decimal(0), Decimal(1))
