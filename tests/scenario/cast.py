"""Who there is and where, and the words by which whatever is said can be told apart.

A word belongs to one person in one circle of readers, and whatever they say there has it. So a prompt tells by its
words alone whose sayings stand in it, and from where.

                 garden            cellar           harbour       wharf        their DM
    who reads    all of Garden     Kim and Ada      all of Harbour             they alone
    ───────────  ────────────────  ───────────────  ────────────  ───────────  ───────────
    Kim          marigold          turnip           anchor        lantern      velvet
    Ada          lavender          cider                                       linen
    Tobi         thyme                              rudder        tarpaulin    flannel

The wharf is a channel of Harbour like any other, until a role is changed and it is for its crew alone.
"""

from collections.abc import Mapping
from types import MappingProxyType

from tests.loopback.discord import Channel, Permission, Person, World

WORDS: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("Kim", "garden"): "marigold",
        ("Ada", "garden"): "lavender",
        ("Tobi", "garden"): "thyme",
        ("Kim", "cellar"): "turnip",
        ("Ada", "cellar"): "cider",
        ("Kim", "harbour"): "anchor",
        ("Tobi", "harbour"): "rudder",
        ("Kim", "wharf"): "lantern",
        ("Tobi", "wharf"): "tarpaulin",
        ("Kim", "direct"): "velvet",
        ("Ada", "direct"): "linen",
        ("Tobi", "direct"): "flannel",
    }
)


class Cast:
    """Two guilds and three people, all of whom the bot answers."""

    def __init__(self, world: World) -> None:
        self.garden, self.harbour = world.guild("Garden"), world.guild("Harbour")
        self.kim = world.person("Kim", self.garden, self.harbour)
        self.ada = world.person("Ada", self.garden)
        self.tobi = world.person("Tobi", self.garden, self.harbour)
        self.crew = self.harbour.role("crew", Permission.VIEW_CHANNEL, self.kim, self.tobi)
        self.general = self.garden.channel("general")
        self.teahouse = self.garden.channel("teahouse")
        self.cellar = self.garden.channel("cellar", only_for=[self.kim, self.ada, world.bot])
        self.wall = self.garden.channel("wall")
        self.deck, self.wharf = self.harbour.channel("deck"), self.harbour.channel("wharf")

    @property
    def people(self) -> tuple[Person, ...]:
        return (self.kim, self.ada, self.tobi)

    def circle(self, channel: Channel) -> str:
        """Who reads along, as the table above calls it. A thread is read by whoever reads its channel."""
        if channel.is_dm:
            return "direct"
        if channel in (self.cellar, self.wharf):
            return channel.name
        return "garden" if channel.guild is self.garden else "harbour"

    def word(self, person: Person, channel: Channel) -> str:
        """The word of what somebody says somewhere."""
        return WORDS[person.name, self.circle(channel)]

    def company(self, channel: Channel) -> list[Person]:
        """Who of them can speak there."""
        return [each for each in self.people if channel.sees(each) and (each.name, self.circle(channel)) in WORDS]
