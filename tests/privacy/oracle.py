"""Who may see what: a small model of its own, written from design §7.

It imports nothing of dnam, so that it cannot be wrong in the same way. It knows the platform as it truly is (who can
read which place now) and of every canary where it lies:

    address              who may see what lies there
    ──────────────────   ─────────────────────────────────────────────────────────────────────────────────────────────
    a place and epoch    the epoch lasts: who can read the place; the whole guild where all of it can, and who said it
                         it is over: who can read the place, if that is restricted; else who could when it last was
    a person             that person: their own DMs
    everybody            it was shared: it may go wherever its person is answered, until it is not shared any more
    a guild              it was told as lore: everybody in that guild

"Widening opens nothing old, narrowing closes at once": an epoch begins when a place opens to its guild, or closes. What
was taken back for good (its message deleted, its person erased) nobody may see, wherever it lay.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

EVERYBODY = "everybody"


@dataclass
class Epoch:
    """A stretch of a place in which all of its guild can read it, or only some. `readers` are those at its end."""

    is_open: bool
    readers: frozenset[str] | None = None


@dataclass
class Place:
    """Where people talk. `members` are those who can read it where it is restricted; a `parent` has the same readers.

    `partner` is whose DM it is.
    """

    key: str
    guild: str = ""
    members: set[str] = field(default_factory=set)
    is_restricted: bool = False
    parent: str = ""
    partner: str = ""
    epochs: list[Epoch] = field(default_factory=list)


class Address(NamedTuple):
    """Where a canary lies: a place in one epoch, with who said it; or a person; or with everybody; or a guild."""

    place: str = ""
    epoch: int = 0
    speaker: str = ""
    person: str = ""
    guild: str = ""


@dataclass
class Oracle:
    """The platform as it is, and where every canary lies."""

    guilds: dict[str, set[str]] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    canaries: dict[str, set[Address]] = field(default_factory=dict)
    speakers: dict[str, str] = field(default_factory=dict)
    joined: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)

    # -- the platform ---------------------------------------------------------------------------------------------

    def add(self, place: Place) -> None:
        """A place is there."""
        self.places[place.key] = place
        place.epochs.append(Epoch(self.is_open(place.key)))

    def is_open(self, key: str) -> bool:
        """Whether everyone in its guild can read a place now."""
        place = self.places[key]
        if place.parent:
            return self.is_open(place.parent)
        return bool(place.guild) and not place.is_restricted

    def readers(self, key: str) -> frozenset[str]:
        """Who can read a place now."""
        place = self.places[key]
        if place.partner:
            return frozenset({place.partner})
        if place.parent:
            return self.readers(place.parent)
        if self.is_open(key):
            return frozenset(self.guilds[place.guild])
        everybody = place.members if not place.guild else place.members & self.guilds[place.guild]
        return frozenset(everybody)

    def close(self, key: str) -> None:
        """From now on only its members can read a place."""
        self._change(key, is_restricted=True)

    def open(self, key: str) -> None:
        """From now on all of its guild can read a place."""
        self._change(key, is_restricted=False)

    def _change(self, key: str, *, is_restricted: bool) -> None:
        concerned = [each for each in self.places.values() if key in (each.key, each.parent)]
        before = {each.key: self.readers(each.key) for each in concerned}
        self.places[key].is_restricted = is_restricted
        for each in concerned:
            if each.epochs[-1].is_open == is_restricted:
                each.epochs[-1].readers = before[each.key]
                each.epochs.append(Epoch(not is_restricted))

    def epochs(self) -> dict[str, int]:
        """How many epochs each place has had."""
        return {each.key: len(each.epochs) for each in self.places.values()}

    def overlook(self, known: dict[str, int]) -> None:
        """Nobody looked since these were counted: what is as it was has not changed, and what changed did so once."""
        for place in self.places.values():
            then, now = place.epochs[known[place.key] - 1], place.epochs[-1]
            if then is not now:
                is_same = then.is_open == now.is_open
                then.readers = None if is_same else then.readers
                place.epochs[known[place.key] :] = [] if is_same else [now]

    # -- canaries -------------------------------------------------------------------------------------------------

    def says(self, canary: str, speaker: str, place: str) -> None:
        """Somebody says it somewhere."""
        self.canaries[canary] = {self.address(place, speaker)}
        self.speakers[canary] = speaker

    def address(self, place: str, speaker: str = "") -> Address:
        """Where something lies that is said in a place now."""
        partner = self.places[place].partner
        return Address(person=partner) if partner else Address(place, len(self.places[place].epochs) - 1, speaker)

    def tells(self, canary: str, place: str) -> None:
        """It stands in an answer there, which all there have read."""
        self.canaries[canary].add(self.address(place))

    def shares(self, canary: str) -> None:
        """Its person shares it."""
        self.canaries[canary].add(Address(person=EVERYBODY))

    def keeps_private(self, canary: str) -> None:
        """Its person does not share it any more; what was told until then is told."""
        self.canaries[canary].discard(Address(person=EVERYBODY))

    def hides(self, canary: str, person: str) -> None:
        """A person keeps what they said to themself: from then on it lies in their direct messages too, wherever it was
        said.
        """
        self.canaries[canary].add(Address(person=person))

    def lore(self, canary: str, speaker: str, guild: str) -> None:
        """Somebody tells it as lore of a guild."""
        self.canaries[canary] = {Address(guild=guild)}
        self.speakers[canary] = speaker

    def takes_back(self, canary: str) -> None:
        """It is taken back for good."""
        self.gone.add(canary)

    def erases(self, person: str) -> None:
        """Somebody is erased, and with them all that they ever said."""
        self.gone |= {canary for canary, speaker in self.speakers.items() if speaker == person}

    def joins(self, canaries: set[str]) -> None:
        """They become one: what rests on several places lies where each of them does."""
        self.joined |= canaries
        together = {address for each in canaries for address in self.canaries[each]}
        for each in canaries:
            self.canaries[each] |= together

    def may_see(self, reader: str, canary: str) -> bool:
        """Whether a person may see it now."""
        return canary not in self.gone and any(self._admits(each, reader) for each in self.canaries[canary])

    def _admits(self, address: Address, reader: str) -> bool:
        if address.person:
            return address.person in (EVERYBODY, reader)
        if address.guild:
            return reader in self.guilds[address.guild]
        now = self.readers(address.place)
        if reader == address.speaker and reader in now:
            return True
        place = self.places[address.place]
        if place.epochs[address.epoch].is_open and address.epoch == len(place.epochs) - 1:
            return reader in now or reader == address.speaker
        last = max(n for n, each in enumerate(place.epochs) if not each.is_open and n >= address.epoch)
        frozen = place.epochs[last].readers
        return reader in (now if frozen is None else frozen)

    def leaks(self, text: str, readers: frozenset[str]) -> list[str]:
        """The canaries in a text that one of its readers may not see; what is gone, also where nobody reads it."""
        held = [each for each in self.canaries if each in text]
        return [each for each in held if each in self.gone or not all(self.may_see(who, each) for who in readers)]

    def leaks_from_export(self, text: str, person: str) -> list[str]:
        """The same of what is handed to a person as theirs: their own words are, wherever they said them."""
        leaks = self.leaks(text, frozenset({person}))
        return [each for each in leaks if self.speakers[each] != person or each in self.gone]
