"""Who tells a history: what has happened so far, and the people and places it happens to."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import NamedTuple, TypeVar

from projections import events as e
from projections.decisions.draft import Draft
from projections.events.values import Audience, Item, Message, ModelUse
from projections.ids import EventId, Handle, Ref, seeded_id
from tests.world import NOW, handle

NAMES = ("Ada Larkspur", "Zoë 🦊 Ümlaut", "Kim\x07Control", 'O\'Brien "the" <b>', "名前太郎さん", "Frederika")
TEXTS = (
    "",
    "I prefer tabs over spaces, honestly",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝕒𝕤𝕥𝕣𝕒𝕝 🧠🫠 speaking",
    "bell \x07 null \x00 escape \x1b[31m red",
    "my sister lives in Valparaíso since 2019",
    "line one\r\nline two\u2028line three\ttabbed",
    "‮backwards‬ and zero\u200bwidth",
    "the deploy of billing-service broke again " * 60,
)
GUILD = Ref("discord", "710000000000000001")
PUBLIC = Ref("discord", "720000000000000001")
PRIVATE = Ref("discord", "720000000000000002")
CALL = ModelUse("offline", "1", prompt="extract@1", prompt_digest=bytes(range(32)), tokens_in=12, cost_micros=3)
T = TypeVar("T")


def platform_id(n: int) -> str:
    """The n-th person's account."""
    return f"4200000000000000{n:02}"


class Matter(NamedTuple):
    """What a history is about: what is said, and of which kinds items are. Every third item holds for so long (ms)."""

    texts: tuple[str, ...] = TEXTS
    kinds: tuple[str, ...] = ("fact", "project", "preference")
    lasting: int | None = None


ANYTHING = Matter()


class Room(NamedTuple):
    """A place where people talk; `people` are the numbers of those who do."""

    place: Ref
    session: str
    audience: Audience
    people: tuple[int, ...]

    @property
    def compartment(self) -> str:
        """Where items learned here go."""
        if self.audience.kind == "direct":
            return f"person/{self.place.key.removeprefix('dm:')}/direct"
        return f"guild/{GUILD}" if self.audience.kind == "guild" else f"channel/{self.place}"


class Heard(NamedTuple):
    """A message that was heard, as it is now."""

    id: EventId
    room: Room
    message: Message


class Teller:
    """What has happened so far, and what may happen next."""

    def __init__(self, makers: "Makers", matter: Matter = ANYTHING) -> None:
        self.makers = makers
        self.matter = matter
        self.people = [handle(f"person {n}") for n in range(len(NAMES))]
        self.rooms = [
            Room(PUBLIC, f"discord:channel:{PUBLIC.key}", Audience("guild", PUBLIC), (0, 1, 2, 3)),
            Room(PRIVATE, f"discord:channel:{PRIVATE.key}", Audience("channel", PRIVATE), (2, 3, 4)),
        ]
        for n in (0, 4):
            dm = Ref("discord", f"dm:{self.people[n].hex()}")
            self.rooms.append(Room(dm, f"discord:{dm.key}", Audience("direct", dm), (n,)))
        self.heard: list[Heard] = []
        self.turns: list[tuple[EventId, e.TurnAnswered]] = []
        self.items: dict[tuple[Handle, str, str], tuple[EventId, Item]] = {}
        self.refreshes: dict[str, tuple[EventId, int]] = {}
        self.told: list[tuple[EventId, e.Event]] = []
        self.said = NOW
        self.drafts: list[Draft] = []
        self.chance = Random(0)

    def tell(self, kind: type[e.Event], salt: int) -> list[Draft]:
        """The drafts of one decision, of which the last is of this kind."""
        self.chance = Random(salt)
        self.drafts = []
        self.makers[kind](self)
        return self.drafts

    def add(self, event: e.Event) -> EventId:
        """One more event of the decision."""
        event_id = seeded_id(b"told", len(self.told), self.said)
        self.told.append((event_id, event))
        self.drafts.append(Draft(event_id, event, natural=True))
        return event_id

    def later(self) -> int:
        """When the next thing is said: mostly later, sometimes at the same moment, sometimes long ago (an import)."""
        self.said += self.chance.choice((0, 1, 1, 700, 60_000, 86_400_000))
        return self.said - self.chance.choice((0, 0, 0, 0, 40 * 86_400_000, 2_000_000_000_000))

    def any(self, choices: Sequence[T]) -> T:
        """One of them."""
        return self.chance.choice(choices)

    def text(self) -> str:
        """Words, each time others."""
        text = self.any(self.matter.texts)
        return text and f"{text} #{len(self.told)}"

    def latest(self, *causes: EventId) -> int:
        """The latest `said` among causes."""
        return max((event.said for event_id, event in self.told if event_id in causes), default=self.later())

    def hear(self) -> Heard:
        """Some message; the first is heard now."""
        if not self.heard or self.chance.random() < 0.1:
            self.makers[e.MessageHeard](self)
        return self.any(self.heard[-12:])

    def window(self, room: Room) -> tuple[EventId, ...]:
        """The last messages of a room."""
        return tuple(each.id for each in self.heard if each.room.session == room.session)[-4:]


Makers = Mapping[type[e.Event], Callable[[Teller], None]]
"""What tells each kind of event; it may tell others in front of it."""
