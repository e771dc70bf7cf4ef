"""Buttons and menus in a message: finding the one that somebody means."""

from collections.abc import Sequence

from tests.loopback.discord.channels import Channel
from tests.loopback.discord.messages import Message
from tests.loopback.discord.users import User
from tests.loopback.discord.wire import Wire
from tests.loopback.discord.writing import BUTTON, LINK, SELECTS, flat


def buttons(message: Message) -> list[Wire]:
    """All buttons of a message."""
    return [each for each in flat(message.components) if each["type"] == BUTTON]


def labels(message: Message) -> list[str]:
    """What stands on the buttons of a message."""
    return [each.get("label") or (each.get("emoji") or {}).get("name", "") for each in buttons(message)]


def button(message: Message, label: str) -> Wire:
    """The button that says so, is pictured so, or has that custom id, if it can be pressed."""
    names = ("label", "custom_id")
    found = [
        each
        for each in buttons(message)
        if label in [each.get(name) for name in names] or label == (each.get("emoji") or {}).get("name")
    ]
    assert found, f"no button {label!r} at {message}; there are {', '.join(labels(message)) or 'none'}"
    assert found[0].get("style") != LINK, f"{label!r} opens an address"
    assert not found[0].get("disabled"), f"{label!r} is greyed out"
    return found[0]


def menu(message: Message, at: str) -> Wire:
    """The menu with that placeholder or custom id; without, the only one."""
    menus = [each for each in flat(message.components) if each["type"] in SELECTS]
    found = [each for each in menus if not at or at in (each.get("placeholder"), each.get("custom_id"))]
    assert len(found) == 1, f"{len(found)} menus at {message}"
    assert not found[0].get("disabled"), "the menu is greyed out"
    return found[0]


def chosen(menu: Wire, labels: Sequence[str | User | Channel]) -> list[str]:
    """The values behind what was chosen."""
    low, high = menu.get("min_values", 1), menu.get("max_values", 1)
    assert low <= len(labels) <= high, f"between {low} and {high} can be chosen"
    return [_value(menu, each) for each in labels]


def _value(menu: Wire, label: str | User | Channel) -> str:
    if not isinstance(label, str):
        return str(label.id)
    options = menu.get("options") or []
    found = next((each for each in options if label in (each["label"], each["value"])), None)
    assert found, f"no {label!r} in the menu; there are {', '.join(each['label'] for each in options)}"
    return str(found["value"])
