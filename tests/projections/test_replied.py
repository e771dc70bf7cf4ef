"""What the message to answer replies to: quoted above it, as somebody's words, and only where these may be told."""

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given, settings

from projections.blocks import Basis
from projections.context import Context, assemble
from projections.events import (
    ItemForgotten,
    MessageDeleted,
    MessageEdited,
    SummaryRefreshed,
    TurnDelivered,
)
from projections.events.values import (
    OPERATOR,
    PLATFORM,
    Attachment,
    Audience,
    Item,
    LeftOut,
    Limits,
    Message,
    ModelUse,
    Source,
    Span,
)
from projections.fold import Record
from projections.ids import SNOWFLAKE_EPOCH_MS, EventId, Point, Ref, moment_of
from projections.quoting import SEPARATOR, TITLES
from projections.replied import CUT, QUOTED_CHARS, TELLING_CHARS
from tests.projections.channel import AUDIENCE, DAVE, ERIN, HERE, SESSION, answer, delivered, hear, message, named, say
from tests.projections.test_context import clean, parsed, request, spoken
from tests.projections.test_quoting import TEXTS, shown
from tests.world import NOW, World

SHORT = Limits(history_messages=2)
EARLIER = Audience("channel", HERE, 1)


def ref(said: int) -> Ref:
    """What Discord would call a message that was said then, in ms after NOW."""
    return Ref("discord", str((NOW + said - SNOWFLAKE_EPOCH_MS) << 22))


def said_before(world: World, text: str, said: int = 1, **fields: object) -> Record:
    """Erin says something, in a message that has its time in its id."""
    made = message(text, said, ERIN, **fields)  # type: ignore[arg-type]  # as `message` has them
    return hear(world, msgspec.structs.replace(made, ref=ref(said)))


def chatter(world: World) -> None:
    """What was said before is out of the window."""
    for said in (50, 51, 52):
        say(world, f"chat {said}", said)


def prompt(world: World, to: Ref, text: str = "Translate this.", limits: Limits = SHORT) -> Context:
    """The prompt of Dave's reply."""
    asked = hear(world, message(text, 60, reply_to=to))
    return assemble(world.rows, request(point=Point(NOW + 60, asked.id), limits=limits))


def quote(context: Context) -> str:
    """What is quoted."""
    return next((block.body for block in context.blocks if block.name == "replied"), "")


def forget(world: World, *quiet: EventId) -> None:
    item = Item("durable-1", ERIN, "guild/discord:g", "fact", "Likes tea.", NOW, NOW, Source("model"), "forgotten")
    world.add(ItemForgotten(said=NOW, by=OPERATOR, item=item, quiet=quiet))


def test_what_lies_outside_of_the_window_is_quoted_with_its_author_and_is_a_cause(world: World) -> None:
    heard = said_before(world, "Die Rosen brauchen\nSchnitt")
    chatter(world)
    context = prompt(world, ref(1))
    assert context.text.endswith(
        "[Dave]: chat 51\n[Dave]: chat 52\n\n---\nReplied-to message:\n[Erin]: Die Rosen brauchen\n  Schnitt\n\n---\n"
        "User message:\n  (reply to Erin) Translate this."
    )
    (block,) = (each for each in context.blocks if each.name == "replied")
    assert [line.basis for line in block.lines] == [Basis("message", heard.id, heard.seq)]
    assert heard.id in context.causes
    assert context.replied is not None
    assert (context.replied.id, context.replied.speaker) == (heard.id, ERIN)
    assert [each.block for each in context.left_out] == ["recent"]


def test_where_nothing_is_replied_to_nothing_is_quoted(world: World) -> None:
    asked = say(world, "Hello", 60)
    context = assemble(world.rows, request(point=Point(NOW + 60, asked.id)))
    assert context.text == "User message:\nHello"
    assert context.replied is None


def test_of_a_long_one_the_beginning_is_quoted_and_the_rest_is_left_out(world: World) -> None:
    heard = said_before(world, "word " * 100)
    chatter(world)
    context = prompt(world, ref(1))
    assert quote(context) == f"[Erin]: {('word ' * 40).rstrip()}{CUT}"
    assert len("word " * 40) == QUOTED_CHARS
    assert context.left_out[-1] == LeftOut("replied", heard.id.hex(), "over 200 characters")


def test_of_what_stands_in_the_window_as_much_as_tells_it_apart(world: World) -> None:
    said_before(world, "Roses, " + "red and white " * 20)
    said_before(world, "Tulips, " + "red and white " * 20, 2)
    context = prompt(world, ref(2))
    assert quote(context).startswith("[Erin]: Tulips, red")
    assert len(quote(context)) <= len("[Erin]: ") + TELLING_CHARS + len(CUT)
    assert context.left_out == ()


def test_what_has_no_room_in_the_window_is_quoted_as_what_lies_outside(world: World) -> None:
    heard = said_before(world, "x" * 3500)
    context = prompt(world, ref(1))
    assert quote(context) == f"[Erin]: {'x' * QUOTED_CHARS}{CUT}"
    assert heard.id in context.causes


def test_what_the_budget_over_all_takes_from_the_window_stays_quoted_and_a_cause(world: World) -> None:
    heard = said_before(world, "Roses are red.")
    context = prompt(world, ref(1), limits=Limits(tokens=1))
    assert "Recent conversation" not in context.text
    assert quote(context) == "[Erin]: Roses are red."
    assert heard.id in context.causes


def test_names_and_attachments_are_told_as_in_the_window(world: World) -> None:
    said_before(world, "See, ", spans=(Span(5, DAVE),), attachments=(Attachment("plan.png"),))
    said_before(world, "", 2, attachments=(Attachment("b.png"),))
    chatter(world)
    assert quote(prompt(world, ref(1))) == "[Erin]: See, @Dave [attachment: plan.png]"


def test_an_edited_one_is_quoted_as_it_is_and_is_two_causes(world: World) -> None:
    heard = said_before(world, "cofee")
    coffee = msgspec.structs.replace(message("coffee", 1, ERIN), ref=ref(1))
    edited = world.add(MessageEdited(said=NOW + 9, by=PLATFORM, heard=heard.id, message=coffee))[0]
    chatter(world)
    context = prompt(world, ref(1))
    assert quote(context) == "[Erin]: coffee"
    assert {heard.id, edited.id} <= set(context.causes)


def test_an_answer_is_found_by_the_message_as_which_it_arrived(world: World) -> None:
    turn = answer(world, "Prune them in March.", 2, assistant="Marcy")
    delivered(world, turn, ref(3))
    chatter(world)
    context = prompt(world, ref(3))
    assert quote(context) == "[Marcy]: Prune them in March."
    assert context.text.endswith("(reply to Marcy) Translate this.")
    assert turn.id in context.causes
    (block,) = (each for each in context.blocks if each.name == "replied")
    assert [line.basis for line in block.lines] == [Basis("turn", turn.id, turn.seq)]


def test_an_answer_given_behind_the_point_that_stands_in_the_window_can_be_quoted(world: World) -> None:
    first = say(world, "When?", 1)
    turn = answer(world, "In March.", 1000, answers=first.id)
    delivered(world, turn, ref(1001))
    assert quote(prompt(world, ref(1001))) == "[dnam]: In March."


def test_an_answer_of_an_earlier_era_is_not_quoted(world: World) -> None:
    turn = answer(world, "Prune them in March.", 2)
    delivered(world, turn, ref(3))
    refreshed = SummaryRefreshed(
        said=NOW, by=PLATFORM, session=SESSION, audience=AUDIENCE, era=2, refresh=1, text="Roses.", after=None,
        upto=Point(NOW + 1, EventId(b"")), covered=1, call=ModelUse("offline", "1"),
    )  # fmt: skip
    world.add(refreshed)
    context = prompt(world, ref(3))
    assert quote(context) == ""
    assert turn.id not in context.causes


def _quiet(world: World, heard: Record) -> None:
    forget(world, heard.id)


def _deleted(world: World, heard: Record) -> None:
    world.add(
        MessageDeleted(
            said=NOW + 9, by=PLATFORM, heard=heard.id, session=SESSION, audience=AUDIENCE, heard_said=NOW + 1
        )
    )


@pytest.mark.parametrize("taken_back", [_quiet, _deleted])
@pytest.mark.parametrize("is_far", [True, False])
def test_what_was_taken_back_is_not_quoted(
    world: World, taken_back: Callable[[World, Record], None], is_far: bool
) -> None:
    heard = said_before(world, "I like tea")
    taken_back(world, heard)
    if is_far:
        chatter(world)
    context = prompt(world, ref(1))
    assert quote(context) == ""
    assert context.text.count("I like tea") == (not is_far and taken_back is _quiet)  # what stands above, stands there
    assert not is_far or heard.id not in context.causes


def test_an_answer_that_left_with_what_was_taken_back_is_not_quoted(world: World) -> None:
    heard = said_before(world, "I like tea")
    turn = answer(world, "You like tea.", 2)
    delivered(world, turn, ref(3))
    chatter(world)
    forget(world, heard.id)
    assert quote(prompt(world, ref(3)))
    forget(world, heard.id, turn.id)
    assert quote(prompt(world, ref(3))) == ""


@pytest.mark.parametrize(
    "elsewhere",
    [
        message("secret", 1, ERIN, session="discord:channel:other"),
        message("secret", 1, ERIN, audience=EARLIER),
    ],
    ids=["another session", "another epoch"],
)
def test_what_was_said_elsewhere_or_to_others_is_not_quoted(world: World, elsewhere: Message) -> None:
    heard = hear(world, msgspec.structs.replace(elsewhere, ref=ref(1)))
    context = prompt(world, ref(1))
    assert quote(context) == ""
    assert heard.id not in context.causes


def test_an_answer_that_was_given_elsewhere_is_not_quoted(world: World) -> None:
    turn = answer(world, "secret", 2, session="discord:channel:other")
    delivered(world, turn, ref(3))
    lost = ref(4)
    world.add(
        TurnDelivered(
            said=NOW,
            by=PLATFORM,
            turn=EventId(bytes(16)),
            session=SESSION,
            audience=AUDIENCE,
            era=1,
            asker=DAVE,
            messages=(lost,),
        )
    )
    for each in (ref(3), lost):
        assert quote(prompt(world, each)) == ""


def test_nothing_is_quoted_that_was_said_behind_the_message_or_lies_nowhere(world: World) -> None:
    said_before(world, "later", 70)
    hear(world, msgspec.structs.replace(message("namesake", 1, ERIN), ref=Ref("discord", "another")))
    chatter(world)
    for to in (ref(70), ref(1), Ref("discord", "no number"), Ref("nostr", "1")):
        assert quote(prompt(world, to)) == ""


def test_where_names_of_messages_tell_no_time_what_is_in_reach_of_the_window_is_quoted(world: World) -> None:
    for said in (1, 2, 3):
        hear(world, msgspec.structs.replace(message(f"note {said}", said, ERIN), ref=Ref("nostr", f"n{said}")))
    context = prompt(world, Ref("nostr", "n1"))  # one more than has room is read
    assert quote(context) == "[Erin]: note 1"
    assert "note 1" not in context.text.partition("Replied-to message:")[0]


@pytest.mark.parametrize(
    ("name", "moment"),
    [
        (Ref("discord", "175928847299117063"), 1_462_015_105_796),
        (Ref("discord", ""), None),
        (Ref("discord", "\u0661\u0662"), None),
        (Ref("discord", "9" * 21), None),
        (Ref("local", "175928847299117063"), None),
    ],
)
def test_when_a_message_was_said_is_told_by_its_name_in_discord(name: Ref, moment: int | None) -> None:
    assert moment_of(name) == moment


@settings(deadline=None)
@given(text=TEXTS.filter(spoken), asked=TEXTS.filter(spoken))
def test_nothing_that_is_quoted_forges_a_line_or_a_block(text: str, asked: str) -> None:
    world = World()
    named(world, DAVE, "Dave")
    named(world, ERIN, "Erin")
    said_before(world, clean(text))
    for said in (50, 51, 52):
        say(world, "chat", said)
    context = prompt(world, ref(1), clean(asked))
    read = parsed(context.text)
    assert list(read) == ["recent", "replied", "message"]
    assert read["replied"] == [["Erin", *shown(clean(text))]]
    assert context.text.count(f"{SEPARATOR}{TITLES['message']}\n") == 1
