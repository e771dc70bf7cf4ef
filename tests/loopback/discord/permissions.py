"""Who may do what where: Discord's algorithm over roles and overwrites. Pure.

Source: Discord's documentation, Topics: Permissions, "Permission Hierarchy" and "Permission Overwrites".
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntFlag


class Permission(IntFlag):
    """What a role can grant, as far as it is checked here."""

    ADMINISTRATOR = 1 << 3
    MANAGE_CHANNELS = 1 << 4
    MANAGE_GUILD = 1 << 5
    VIEW_CHANNEL = 1 << 10
    SEND_MESSAGES = 1 << 11
    MANAGE_MESSAGES = 1 << 13
    EMBED_LINKS = 1 << 14
    ATTACH_FILES = 1 << 15
    READ_MESSAGE_HISTORY = 1 << 16
    MENTION_EVERYONE = 1 << 17
    MANAGE_ROLES = 1 << 28
    USE_APPLICATION_COMMANDS = 1 << 31
    MANAGE_THREADS = 1 << 34
    CREATE_PUBLIC_THREADS = 1 << 35
    CREATE_PRIVATE_THREADS = 1 << 36
    SEND_MESSAGES_IN_THREADS = 1 << 38
    PIN_MESSAGES = 1 << 51


NONE = Permission(0)
ALL = Permission(sum(Permission))
TALKING = (
    Permission.VIEW_CHANNEL
    | Permission.SEND_MESSAGES
    | Permission.EMBED_LINKS
    | Permission.ATTACH_FILES
    | Permission.READ_MESSAGE_HISTORY
    | Permission.USE_APPLICATION_COMMANDS
    | Permission.CREATE_PUBLIC_THREADS
    | Permission.CREATE_PRIVATE_THREADS
    | Permission.SEND_MESSAGES_IN_THREADS
)
"""What a new guild gives to everyone."""
BOT = TALKING | Permission.PIN_MESSAGES
"""What a bot's own role gives it when it was invited well. Since February 2026 a pin needs PIN_MESSAGES, and
MANAGE_MESSAGES does not do any more. (discord/discord-api-docs, change log of 2025-11-24)"""


@dataclass(frozen=True)
class Overwrite:
    """What a channel grants or takes away, for a role or for a member."""

    of: int
    member: bool
    allow: Permission = NONE
    deny: Permission = NONE


def everywhere(roles: Iterable[Permission]) -> Permission:
    """What somebody's roles, everyone's included, grant in the whole guild."""
    granted = NONE
    for each in roles:
        granted |= each
    return ALL if granted & Permission.ADMINISTRATOR else granted


def here(base: Permission, overwrites: Iterable[Overwrite], everyone: int, roles: set[int], member: int) -> Permission:
    """What is left of `base` in a channel; without VIEW_CHANNEL nothing is."""
    if base & Permission.ADMINISTRATOR:
        return ALL
    granted = base
    for layer in _layers(list(overwrites), everyone, roles, member):
        for each in layer:
            granted &= ~each.deny
        for each in layer:
            granted |= each.allow
    return granted if granted & Permission.VIEW_CHANNEL else NONE


def _layers(given: list[Overwrite], everyone: int, roles: set[int], member: int) -> list[list[Overwrite]]:
    """First everyone's, then all roles' together, then the member's own."""
    of_roles = [each for each in given if not each.member]
    return [
        [each for each in of_roles if each.of == everyone],
        [each for each in of_roles if each.of != everyone and each.of in roles],
        [each for each in given if each.member and each.of == member],
    ]
