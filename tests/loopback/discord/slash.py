"""What somebody types after a slash, as Discord's own client reads it: the command, its options, and their values.

    /memory show kind:fact private:True

An option's value runs until the next name of an option. Whatever the client would not let somebody send (an unknown
command, a missing option, a value that is none of the choices) is an AssertionError.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.loopback.discord.channels import Channel
from tests.loopback.discord.commands import Command
from tests.loopback.discord.users import User
from tests.loopback.discord.wire import Wire

Value = str | int | float | bool | User | Channel
SUBCOMMAND, SUBCOMMAND_GROUP = 1, 2
STRING, INTEGER, BOOLEAN, USER, CHANNEL, ROLE, MENTIONABLE, NUMBER = 3, 4, 5, 6, 7, 8, 9, 10


@dataclass
class Typed:
    """A command that was typed: which, down to which subcommand, with which values."""

    command: Command
    path: list[Wire]
    """The subcommand group and subcommand that were chosen, outermost first."""
    values: dict[str, Value]
    people: list[User] = field(default_factory=list)
    places: list[Channel] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What is typed of it, without options."""
        return "/" + " ".join([self.command.name, *(each["name"] for each in self.path)])

    @property
    def known(self) -> list[Wire]:
        """The options that can be given here."""
        last = self.path[-1] if self.path else self.command.body
        return list(last.get("options") or [])

    def options(self, focused: str = "") -> list[Wire]:
        """As they stand in the interaction; `focused`: the one that is still being typed."""
        given = [self._option(each, focused) for each in self.known if each["name"] in self.values]
        for step in reversed(self.path):
            given = [{"name": step["name"], "type": step["type"], "options": given}]
        return given

    def _option(self, option: Wire, focused: str) -> Wire:
        name = option["name"]
        value = self.values[name] if name == focused else self._value(option, self.values[name])
        return {"name": name, "type": option["type"], "value": value} | ({"focused": True} if name == focused else {})

    def _value(self, option: Wire, value: Value) -> str | int | float | bool:
        if isinstance(value, User):
            self.people.append(value)
            return str(value.id)
        if isinstance(value, Channel):
            self.places.append(value)
            return str(value.id)
        return _within(option, _converted(option, value))

    def check(self) -> None:
        """Every required option is there, and every value is one that can be chosen."""
        missing = [each["name"] for each in self.known if each.get("required") and each["name"] not in self.values]
        assert not missing, f"{self.name} needs {', '.join(missing)}: {self.usage()}"

    def usage(self) -> str:
        """How it is typed, and what the bot says of each option."""
        options = [f"{each['name']}:…" if each.get("required") else f"[{each['name']}:…]" for each in self.known]
        told = [f"{each['name']} is {each.get('description')}" for each in self.known]
        return f"`{' '.join([self.name, *options])}`" + "".join(f"; {each}" for each in told)


def typed(commands: Sequence[Command], text: str, given: Mapping[str, Value], users: Mapping[int, User]) -> Typed:
    """Read what was typed after the slash; `given` are options beside it."""
    words = text.removeprefix("/").split()
    found = next((each for each in commands if each.name == words[0]), None)
    assert found, f"there is no /{words[0]} here, only {', '.join(f'/{each.name}' for each in commands) or 'nothing'}"
    path, rest = _descend(found.body, words[1:])
    result = Typed(found, path, {})
    result.values = _values(result, rest, users) | dict(given)
    unknown = set(result.values) - {each["name"] for each in result.known}
    assert not unknown, f"{result.name} has no option {', '.join(sorted(unknown))}: {result.usage()}"
    return result


def _descend(body: Wire, words: Sequence[str]) -> tuple[list[Wire], str]:
    path: list[Wire] = []
    rest = list(words)
    while inner := [each for each in body.get("options") or [] if each["type"] in (SUBCOMMAND, SUBCOMMAND_GROUP)]:
        names = ", ".join(each["name"] for each in inner)
        body = next((each for each in inner if rest and each["name"] == rest[0]), {})
        assert body, f"not a command: {' '.join(words)!r}; there are {names}"
        path.append(body)
        rest.pop(0)
    return path, " ".join(rest)


def _values(typed: Typed, text: str, users: Mapping[int, User]) -> dict[str, Value]:
    if not text:
        return {}
    known = typed.known
    names = "|".join(re.escape(each["name"]) for each in known)
    parts = re.split(rf"(?:^|\s+)({names}):", text) if names else [text]
    assert not parts[0].strip(), f"no option is named in {text!r}: {typed.usage()}"
    kinds = {each["name"]: each["type"] for each in known}
    return {
        name: _named(kinds[name], value.strip(), users) for name, value in zip(parts[1::2], parts[2::2], strict=True)
    }


def _named(kind: int, text: str, users: Mapping[int, User]) -> Value:
    """Of an option that takes people: who is meant by `@Kim` or a mention."""
    if kind not in (USER, MENTIONABLE):
        return text
    found = [each for each in users.values() if text in (each.mention, f"@{each.name}", str(each.id))]
    assert len(found) == 1, f"{text} is not somebody"
    return found[0]


def _converted(option: Wire, value: str | int | float) -> str | int | float | bool:
    match option["type"]:
        case t if t == BOOLEAN and isinstance(value, str):
            return {"true": True, "false": False}[value.lower()]
        case t if t == INTEGER:
            return int(value)
        case t if t == NUMBER:
            return float(value)
        case t if t == STRING:
            return str(value)
        case _:
            return value


def _within(option: Wire, value: str | int | float | bool) -> str | int | float | bool:
    name, choices = option["name"], option.get("choices") or []
    if choices:
        chosen = next((each["value"] for each in choices if value in (each["name"], each["value"])), None)
        assert chosen is not None, f"{name}: {value!r} is none of {', '.join(each['name'] for each in choices)}"
        value = chosen
    if isinstance(value, str):
        assert len(value) >= (option.get("min_length") or 0), f"{name}: {value!r} is too short"
        assert len(value) <= (option.get("max_length") or 6000), f"{name}: {value!r} is too long"
    elif not isinstance(value, bool):
        low, high = option.get("min_value"), option.get("max_value")
        assert low is None or value >= low, f"{name}: {value} is too small"
        assert high is None or value <= high, f"{name}: {value} is too large"
    return value
