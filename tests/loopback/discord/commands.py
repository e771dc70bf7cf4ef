"""Application commands: those that the bot registered, and who may use them where."""

from dataclasses import dataclass

from tests.loopback.discord.channels import Channel
from tests.loopback.discord.permissions import Permission
from tests.loopback.discord.users import User
from tests.loopback.discord.wire import Wire

SLASH, USER_MENU, MESSAGE_MENU = 1, 2, 3
GUILD_CONTEXT, BOT_DM_CONTEXT = 0, 1


@dataclass(eq=False)
class Command:
    """One command: everywhere, or in one guild."""

    id: int
    version: int
    application: int
    guild: int | None
    body: Wire
    """As the bot sent it."""

    @property
    def name(self) -> str:
        return str(self.body["name"])

    @property
    def kind(self) -> int:
        return int(self.body.get("type") or SLASH)

    def wire(self) -> Wire:
        """As Discord gives it back: permissions as text, and nothing that was said to be nothing."""
        permissions = self.body.get("default_member_permissions")
        shown = {name: value for name, value in _filled(self.body).items() if name != "options" or value}
        return (
            shown
            | {
                "id": str(self.id),
                "application_id": str(self.application),
                "version": str(self.version),
                "type": self.kind,
                "description": self.body.get("description") or "",
                "default_member_permissions": None if permissions is None else str(permissions),
                "nsfw": bool(self.body.get("nsfw")),
            }
            | ({"guild_id": str(self.guild)} if self.guild else {})
        )

    def offered(self, channel: Channel, user: User) -> bool:
        """Whether somebody sees it there."""
        if channel.guild is None:
            return self.guild is None and self._in_context(BOT_DM_CONTEXT)
        if self.guild not in (None, channel.guild.id) or not self._in_context(GUILD_CONTEXT):
            return False
        needed = Permission(int(self.body.get("default_member_permissions") or 0)) | Permission.USE_APPLICATION_COMMANDS
        return channel.allowed(user) & needed == needed

    def _in_context(self, context: int) -> bool:
        contexts = self.body.get("contexts")
        if contexts is not None:
            return context in contexts
        return context == GUILD_CONTEXT or self.body.get("dm_permission") is not False


def _filled(body: Wire) -> Wire:
    """Without what is null, at every depth of the options."""
    kept = {name: value for name, value in body.items() if value is not None}
    if "options" in kept:
        kept["options"] = [_filled(each) for each in kept["options"]]
    return kept
