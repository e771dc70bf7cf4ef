"""Users, and the application whose bot is under test."""

from dataclasses import dataclass, field
from enum import IntFlag

from tests.loopback.discord.wire import Wire


@dataclass(eq=False)
class User:
    """An account: a person's or a bot's."""

    id: int
    name: str
    bot: bool = False
    takes_messages: bool = True
    """Whether a bot may write to them directly; a bot that may not gets 50007."""

    @property
    def mention(self) -> str:
        """What stands in a message that mentions them."""
        return f"<@{self.id}>"

    def wire(self) -> Wire:
        """As it stands in messages, members and everywhere else."""
        return {
            "id": str(self.id),
            "username": self.name.lower().replace(" ", "_"),
            "global_name": None if self.bot else self.name,
            "discriminator": "0000" if self.bot else "0",
            "avatar": None,
            "public_flags": 0,
            "flags": 0,
            "primary_guild": None,
        } | ({"bot": True} if self.bot else {})


class Intent(IntFlag):
    """What a client wants to be told. (Discord's documentation, Gateway: List of Intents)"""

    GUILDS = 1 << 0
    MEMBERS = 1 << 1
    PRESENCES = 1 << 8
    GUILD_MESSAGES = 1 << 9
    GUILD_TYPING = 1 << 11
    DIRECT_MESSAGES = 1 << 12
    DIRECT_TYPING = 1 << 14
    CONTENT = 1 << 15


NOTHING = Intent(0)
PRIVILEGED = Intent.MEMBERS | Intent.PRESENCES | Intent.CONTENT
LIMITED_FLAGS = {Intent.PRESENCES: 1 << 13, Intent.MEMBERS: 1 << 15, Intent.CONTENT: 1 << 19}
"""The application's flag that says: this intent is enabled in the developer portal, below a hundred guilds."""


@dataclass(eq=False)
class Application:
    """What was created in the developer portal."""

    id: int
    token: str
    bot: User
    owner: User
    team: list[User] = field(default_factory=list)
    """A team owns it, its first member being the team's owner; empty: it belongs to `owner`."""
    team_roles: dict[int, str] = field(default_factory=dict)
    """What members of the team may do, by their ids: "developer" or "read_only"; all others are "admin"."""
    invited: set[int] = field(default_factory=set)
    """Members of the team who were invited and have not accepted."""
    enabled: Intent = PRIVILEGED
    """Which privileged intents are enabled in the portal."""

    @property
    def flags(self) -> int:
        return sum(flag for intent, flag in LIMITED_FLAGS.items() if intent & self.enabled)

    def wire(self) -> Wire:
        return {
            "id": str(self.id),
            "name": self.bot.name,
            "icon": None,
            "description": "",
            "type": None,
            "flags": self.flags,
            "flags_new": str(self.flags),
            "bot": self.bot.wire(),
            "bot_public": False,
            "bot_require_code_grant": False,
            "verify_key": "0" * 64,
            "redirect_uris": [],
            "interactions_endpoint_url": None,
            "role_connections_verification_url": None,
            "owner": self._team_user() if self.team else self.owner.wire(),
            "approximate_guild_count": 1,
            "approximate_user_install_count": 0,
            "approximate_user_authorization_count": 0,
            "explicit_content_filter": 0,
            "team": self._team() if self.team else None,
            "eligible_oauth2_scopes": ["bot", "applications.commands"],
        }

    def _team_user(self) -> Wire:
        """Discord shows a team's application as owned by a user `team<id>`."""
        return User(self.id + 1, f"team{self.id + 1}").wire()

    def _team(self) -> Wire:
        members = [
            {
                "user": each.wire(),
                "team_id": str(self.id + 1),
                "membership_state": 1 if each.id in self.invited else 2,
                "role": self.team_roles.get(each.id, "admin"),
                "permissions": ["*"],
            }
            for each in self.team
        ]
        name = f"{self.bot.name}'s team"
        owner = str(self.team[0].id)
        return {"id": str(self.id + 1), "icon": None, "name": name, "owner_user_id": owner, "members": members}
