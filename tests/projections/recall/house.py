"""A guild with channels, threads and direct messages in which things are said: rows for the tests of recall.

house = House()
house.describe("general")
house.say("general", "I like green tea", ADA)
house.setting("general", KIM)
"""

from typing import Any

from projections.events import (
    ItemForgotten,
    MessageDeleted,
    MessageEdited,
    MessageHeard,
    PersonSeen,
    PlaceAudienceChanged,
    PlaceDescribed,
    TurnAnswered,
    TurnWithdrawn,
)
from projections.events.heard import PlaceKind
from projections.events.values import (
    PLATFORM,
    Attachment,
    Audience,
    AudienceKind,
    By,
    Evidence,
    Item,
    Limits,
    Message,
    ModelUse,
    Span,
)
from projections.ids import NOBODY, EventId, Handle, Ref
from projections.places import audience_of
from projections.policies.compartments import Setting
from projections.rows import Rows
from tests.projections.items import an_item, there_is
from tests.world import NOW, World, handle

ADA, KIM = handle("ada"), handle("kim")
GUILD, OTHER_GUILD = Ref("discord", "9"), Ref("discord", "8")
MODEL = By("model", name="offline", version="1")


def ref(place: str) -> Ref:
    return Ref("discord", place)


def session(place: str) -> str:
    return f"discord:channel:{place}"


def own_place(person: Handle) -> str:
    return f"dm:{person.hex()}"


class House:
    """What was said where, a second apart unless said otherwise."""

    def __init__(self) -> None:
        self.world = World()
        self.said = NOW
        self.guilds: dict[str, Ref | None] = {}

    @property
    def rows(self) -> Rows:
        return self.world.rows

    # -- places --------------------------------------------------------------------------------------------------------

    def describe(
        self,
        place: str,
        kind: AudienceKind = "guild",
        *,
        guild: Ref | None = GUILD,
        readers: str = "",
        parent: str = "",
        person: Handle = NOBODY,
    ) -> None:
        """A place is known from now on; a public thread has the `readers` of its channel."""
        what: PlaceKind = "direct" if kind == "direct" else "thread" if parent else "channel"
        self.guilds[place] = guild
        self.world.add(
            PlaceDescribed(
                said=NOW,
                by=PLATFORM,
                place=ref(place),
                kind=what,
                name="" if kind == "direct" else place,
                audience=Audience(kind, ref(readers or place)),
                session=session(place),
                guild=guild,
                parent=ref(parent) if parent else None,
                person=person,
            )
        )

    def describe_direct(self, person: Handle) -> str:
        place = own_place(person)
        self.describe(place, "direct", guild=None, person=person)
        return place

    def audience(self, place: str) -> Audience:
        found = audience_of(self.rows, ref(place))
        assert found is not None
        return found

    def change(self, place: str, kind: AudienceKind) -> None:
        """Fewer, or more, can read a place from now on."""
        was = self.audience(place)
        now = Audience(kind, was.place, was.epoch + 1)
        self.world.add(
            PlaceAudienceChanged(
                said=NOW,
                by=PLATFORM,
                place=ref(place),
                audience=now,
                previous=was,
                session=session(place),
                guild=self.guilds[place],
            )
        )

    def setting(self, place: str, person: Handle = ADA) -> Setting:
        """The context of an answer to a person there, as it can be read now."""
        return Setting(person, self.audience(place), self.guilds[place])

    # -- what is said --------------------------------------------------------------------------------------------------

    def name(self, person: Handle, name: str) -> None:
        self.world.add(
            PersonSeen(said=NOW, by=PLATFORM, person=person, platform="discord", platform_id=person.hex(), name=name)
        )

    def message(
        self,
        place: str,
        text: str,
        speaker: Handle = ADA,
        *,
        after: int = 1000,
        spans: tuple[Span, ...] = (),
        attachments: tuple[Attachment, ...] = (),
    ) -> Message:
        self.said += after
        return Message(
            ref=Ref("discord", str(self.said)),
            place=ref(place),
            session=session(place),
            audience=self.audience(place),
            author="person" if speaker else "bot",
            said=self.said,
            text=text,
            speaker=speaker,
            guild=self.guilds[place],
            spans=spans,
            attachments=attachments,
        )

    def say(
        self,
        place: str,
        text: str,
        speaker: Handle = ADA,
        *,
        after: int = 1000,
        spans: tuple[Span, ...] = (),
        attachments: tuple[Attachment, ...] = (),
    ) -> EventId:
        message = self.message(place, text, speaker, after=after, spans=spans, attachments=attachments)
        return self.world.add(MessageHeard(said=message.said, by=PLATFORM, message=message))[0].id

    def edit(self, place: str, heard: EventId, text: str) -> None:
        """What was said a moment ago reads differently now."""
        message = self.message(place, text, after=0)
        self.world.add(MessageEdited(said=self.said, by=PLATFORM, heard=heard, message=message))

    def delete(self, place: str, heard: EventId, said: int) -> None:
        audience = self.audience(place)
        self.world.add(
            MessageDeleted(
                said=self.said,
                by=PLATFORM,
                heard=heard,
                session=session(place),
                audience=audience,
                heard_said=said,
            )
        )

    def answer(self, place: str, text: str, asker: Handle = ADA, *, spans: tuple[Span, ...] = ()) -> EventId:
        self.said += 1000
        turn = TurnAnswered(
            said=self.said,
            by=MODEL,
            session=session(place),
            place=ref(place),
            audience=self.audience(place),
            era=0,
            asker=asker,
            answers=EventId(b""),
            text=text,
            call=ModelUse("offline", "1"),
            limits=Limits(),
            spans=spans,
            guild=self.guilds[place],
        )
        return self.world.add(turn)[0].id

    def withdraw(self, place: str, turn: EventId, said: int) -> None:
        self.world.add(
            TurnWithdrawn(
                said=self.said,
                by=PLATFORM,
                turn=turn,
                session=session(place),
                audience=self.audience(place),
                era=0,
                asker=ADA,
                turn_said=said,
                call=ModelUse("offline", "1"),
            )
        )

    # -- what is known -------------------------------------------------------------------------------------------------

    def know(self, text: str, compartment: str, owner: Handle = ADA, *, kind: str = "fact", **fields: Any) -> Item:
        """An item, long known: nothing counts for it but its words."""
        old = NOW - 30 * 86_400_000
        made: Item = an_item(text, kind=kind, owner=owner, compartment=compartment, **{"updated": old, **fields})
        there_is(self.world, made)
        return made

    def forget(self, item: Item, *quiet: EventId) -> None:
        self.world.add(ItemForgotten(said=self.said, by=By("person", item.owner), item=item, quiet=quiet))


def rests_on(*messages: EventId) -> tuple[Evidence, ...]:
    return tuple(Evidence("so it was said", each) for each in messages)
