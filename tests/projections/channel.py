"""A channel in which Dave and Erin talk, and the assistant answers."""

from projections.caller import Caller
from projections.events import MessageHeard, TurnAnswered, TurnDelivered
from projections.events.people import PersonSeen
from projections.events.values import PLATFORM, Attachment, Audience, AuthorKind, By, Limits, Message, ModelUse, Span
from projections.fold import Record
from projections.ids import NOBODY, EventId, Handle, Point, Ref
from projections.window import Window, recent
from tests.world import NOW, World, handle

DAVE, ERIN = handle("dave"), handle("erin")
HERE = Ref("discord", "general")
SESSION = "discord:channel:general"
AUDIENCE = Audience("channel", HERE)
NOTHING = EventId(b"")
END = Point(NOW + 1_000_000, EventId(b"\xff" * 16))


def named(world: World, person: Handle, name: str) -> Record:
    """A person with a name."""
    return world.add(
        PersonSeen(said=NOW, by=PLATFORM, person=person, platform="discord", platform_id=person.hex(), name=name)
    )[0]


def message(
    text: str,
    said: int,
    speaker: Handle = DAVE,
    *,
    author: AuthorKind = "person",
    author_name: str = "",
    session: str = SESSION,
    audience: Audience = AUDIENCE,
    spans: tuple[Span, ...] = (),
    reply_to: Ref | None = None,
    attachments: tuple[Attachment, ...] = (),
) -> Message:
    """A message, `said` ms after NOW; its platform calls it by that number."""
    return Message(
        ref=Ref("discord", str(said)),
        place=audience.place,
        session=session,
        audience=audience,
        author=author,
        said=NOW + said,
        text=text,
        speaker=speaker if author == "person" else NOBODY,
        author_name=author_name,
        spans=spans,
        reply_to=reply_to,
        attachments=attachments,
    )


def hear(world: World, heard: Message) -> Record:
    """The message is heard."""
    return world.add(MessageHeard(said=heard.said, by=PLATFORM, message=heard))[0]


def say(world: World, text: str, said: int, speaker: Handle = DAVE) -> Record:
    """Somebody says something in the channel, `said` ms after NOW."""
    return hear(world, message(text, said, speaker))


def answer(
    world: World,
    text: str,
    said: int,
    *,
    answers: EventId = NOTHING,
    assistant: str = "dnam",
    spans: tuple[Span, ...] = (),
    session: str = SESSION,
    audience: Audience = AUDIENCE,
) -> Record:
    """The assistant says something."""
    turn = TurnAnswered(
        said=NOW + said,
        by=By("model", name="offline", version="1"),
        session=session,
        place=audience.place,
        audience=audience,
        era=1,
        asker=DAVE,
        answers=answers,
        text=text,
        call=ModelUse("offline", "1"),
        limits=Limits(),
        assistant=assistant,
        spans=spans,
    )
    return world.add(turn)[0]


def delivered(world: World, turn: Record, *messages: Ref) -> None:
    """An answer arrives, as these messages."""
    answered = turn.event
    assert isinstance(answered, TurnAnswered)
    world.add(
        TurnDelivered(
            said=answered.said,
            by=PLATFORM,
            turn=turn.id,
            session=answered.session,
            audience=answered.audience,
            era=answered.era,
            asker=answered.asker,
            messages=messages,
        )
    )


def window(world: World, before: Point = END, limits: Limits | None = None, epoch: int = 0) -> Window:
    """The conversation in the channel, as a prompt has it."""
    return recent(world.rows, SESSION, epoch, before, limits or Limits(), Caller(world.rows, "dnam"))


def rendered(world: World, before: Point = END, limits: Limits | None = None) -> list[str]:
    """Its lines, as they stand there."""
    return [line.rendered for line in window(world, before, limits).lines]
