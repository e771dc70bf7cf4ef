"""The message at which a thread began stands above the thread's own, where that may be told to who reads the answer."""

from collections.abc import Iterator

import msgspec
import pytest

from projections.blocks import Basis
from projections.context import Context, Request, assemble, remembered
from projections.decisions.draft import Draft
from projections.decisions.withdraw import turn_withdrawn
from projections.events import (
    ItemForgotten,
    ItemRemembered,
    MessageDeleted,
    MessageEdited,
    MessageHeard,
    PlaceAudienceChanged,
    PlaceDescribed,
    SummaryRefreshed,
    TurnAnswered,
)
from projections.events.heard import PlaceKind
from projections.events.values import (
    OPERATOR,
    PLATFORM,
    Audience,
    Item,
    LeftOut,
    Limits,
    Message,
    ModelUse,
    Source,
    Status,
)
from projections.fold import Record
from projections.ids import SNOWFLAKE_EPOCH_MS, EventId, Point, Ref, Seq
from projections.items import QUIET
from projections.messages import as_heard
from projections.places import audience_of
from projections.policies.compartments import Setting
from projections.rows import Rows, Stored
from projections.turns import find_turn
from tests.projections.channel import DAVE, ERIN, answer, delivered, hear, message
from tests.projections.test_context import GUILD, VOCABULARY
from tests.projections.test_window import Counting
from tests.world import NOW, World

CHANNEL = Ref("discord", "77")
THREAD = Ref("discord", str((NOW + 1 - SNOWFLAKE_EPOCH_MS) << 22))
"""Called as the message is that was said in the first millisecond."""
ABOVE, SESSION = "discord:channel:77", f"discord:thread:{THREAD.key}"
OPEN = Audience("guild", CHANNEL)
IN_THREAD = Audience("guild", THREAD)
OF_FEW = Audience("channel", CHANNEL)
BEGAN = "[Erin]: my roses have black spots"


def place(
    world: World, place: Ref, kind: PlaceKind, session: str, audience: Audience, parent: Ref | None = None
) -> None:
    """A place of the guild becomes known."""
    described = PlaceDescribed(
        said=NOW,
        by=PLATFORM,
        place=place,
        kind=kind,
        name="",
        audience=audience,
        session=session,
        guild=GUILD,
        parent=parent,
    )
    world.add(described)


def spoken(text: str, said: int, audience: Audience = OPEN, session: str = ABOVE, **fields: object) -> Message:
    """What Erin says in the channel, `said` ms after NOW."""
    made = message(text, said, ERIN, session=session, audience=audience, **fields)  # type: ignore[arg-type]  # as it has them
    return msgspec.structs.replace(made, guild=GUILD)


def began(world: World, audience: Audience = OPEN, **fields: object) -> Record:
    """Erin says that at which the thread begins."""
    said = spoken("my roses have black spots", 1, audience, **fields)  # type: ignore[arg-type]  # as `message` has them
    return hear(world, msgspec.structs.replace(said, ref=THREAD))


def say(world: World, text: str, said: int, audience: Audience = IN_THREAD) -> Record:
    """Dave says something in the thread."""
    return hear(world, msgspec.structs.replace(message(text, said, session=SESSION, audience=audience), guild=GUILD))


def asking(asked: Record, limits: Limits | None = None, audience: Audience = IN_THREAD) -> Request:
    """What the prompt for a message of Dave's in the thread is made for."""
    return Request(
        setting=Setting(DAVE, audience, GUILD),
        session=SESSION,
        point=Point(asked.event.said, asked.id),
        assistant="dnam",
        vocabulary=VOCABULARY,
        limits=limits or Limits(),
    )


def prompt(world: World, limits: Limits | None = None, audience: Audience = IN_THREAD) -> Context:
    """The prompt for what Dave asks in the thread."""
    asked = say(world, "what should I do about it?", 60, audience)
    return assemble(world.rows, asking(asked, limits, audience))


def lines(context: Context) -> list[str]:
    return [line.rendered for line in context.window.lines]


def changed(world: World, place: Ref, audience: Audience) -> None:
    """Others can read a place from now on."""
    before = audience_of(world.rows, place)
    assert before is not None
    world.add(PlaceAudienceChanged(said=NOW, by=PLATFORM, place=place, audience=audience, previous=before))


@pytest.fixture
def world(world: World) -> World:
    """A channel that everyone reads, and a thread in it."""
    place(world, CHANNEL, "channel", ABOVE, OPEN)
    place(world, THREAD, "thread", SESSION, IN_THREAD, CHANNEL)
    return world


def test_it_stands_above_the_first_line_with_its_author_and_is_a_cause(world: World) -> None:
    first = began(world)
    hear(world, spoken("tulips are fine", 2))
    second = say(world, "how bad?", 3)
    context = prompt(world)
    assert lines(context) == [BEGAN, "[Dave]: how bad?"]
    (block,) = (each for each in context.blocks if each.name == "recent")
    assert block.lines[0].basis == Basis("message", first.id, first.seq)
    assert context.causes[1:] == (first.id, second.id)
    assert context.window.authors[THREAD] == "Erin"
    assert context.window.signed[THREAD].row.event == first.id
    assert context.mentioned == {}


def test_the_first_message_of_a_thread_is_asked_below_it(world: World) -> None:
    began(world)
    assert lines(prompt(world)) == [BEGAN]


def test_so_it_is_before_the_question_is_among_the_rows(world: World) -> None:
    began(world)
    text = message("what should I do about it?", 60, session=SESSION, audience=IN_THREAD)
    draft = Draft(EventId(b"\xf0" * 16), MessageHeard(said=text.said, by=PLATFORM, message=text))
    ahead = Record(Seq(len(world.records) + 1), draft.id, NOW, draft.event)
    early = assemble(world.rows, asking(ahead)._replace(message=as_heard(ahead)))
    assert lines(early) == [BEGAN]
    late = assemble(world.rows, asking(world.record(draft)))
    assert (early.text, early.causes, early.digest) == (late.text, late.causes, late.digest)


def test_what_is_remembered_is_looked_for_by_its_words_too(world: World) -> None:
    for number, text in enumerate(("Likes tea.", "Grows roses.")):
        item = Item(f"durable-{number}", DAVE, "guild/discord:club", "fact", text, NOW, NOW, Source("manual"))
        world.add(ItemRemembered(said=NOW, by=OPERATOR, item=item))
    best = Limits(items=1)
    asked = say(world, "what should I do about it?", 60)
    assert [hit.item.text for hit in remembered(world.rows, asking(asked, best)).hits] != ["Grows roses."]
    began(world)
    assert [hit.item.text for hit in remembered(world.rows, asking(asked, best)).hits] == ["Grows roses."]


def test_where_nothing_was_called_so_nothing_is_there(world: World) -> None:
    hear(world, spoken("in the same millisecond, and called otherwise", 1))
    assert lines(prompt(world)) == []


def test_as_it_is_called_is_not_enough_elsewhere(world: World) -> None:
    hear(world, msgspec.structs.replace(spoken("of another channel", 1, session="discord:channel:78"), ref=THREAD))
    assert lines(prompt(world)) == []


def test_a_place_that_is_no_thread_has_none(world: World) -> None:
    began(world)
    place(world, THREAD, "channel", SESSION, IN_THREAD, CHANNEL)
    assert lines(prompt(world)) == []


@pytest.mark.parametrize("parent", [None, Ref("discord", "never described")])
def test_nor_has_a_thread_of_which_nobody_knows_where_it_hangs(world: World, parent: Ref | None) -> None:
    began(world)
    place(world, THREAD, "thread", SESSION, IN_THREAD, parent)
    assert lines(prompt(world)) == []


def test_a_thread_that_goes_by_no_number_has_none() -> None:
    world = World()
    named_so = Ref("terminal", "thread")
    place(world, CHANNEL, "channel", ABOVE, OPEN)
    place(world, named_so, "thread", SESSION, Audience("guild", named_so), CHANNEL)
    hear(world, msgspec.structs.replace(spoken("called so", 1), ref=named_so))
    assert lines(prompt(world, audience=Audience("guild", named_so))) == []


def test_a_post_that_lies_in_its_own_thread_stands_there_once(world: World) -> None:
    place(world, CHANNEL, "forum", "", OPEN)
    post = msgspec.structs.replace(message("a post", 1, session=SESSION, audience=IN_THREAD), guild=GUILD, ref=THREAD)
    hear(world, post)
    assert lines(prompt(world)) == ["[Dave]: a post"]


# -- who may read it ---------------------------------------------------------------------------------------------------


def restricted(world: World, thread: Audience) -> None:
    """The channel is of few, and was so when the thread began."""
    place(world, CHANNEL, "channel", ABOVE, OF_FEW)
    place(world, THREAD, "thread", SESSION, thread, CHANNEL)
    began(world, OF_FEW)


def test_in_a_channel_of_few_its_public_thread_has_it(world: World) -> None:
    restricted(world, OF_FEW)
    assert lines(prompt(world, audience=OF_FEW)) == [BEGAN]


def test_a_private_thread_has_not(world: World) -> None:
    private = Audience("channel", THREAD)
    restricted(world, private)
    assert lines(prompt(world, audience=private)) == []


def test_nor_has_a_private_thread_in_a_channel_of_all(world: World) -> None:
    private = Audience("channel", THREAD)
    place(world, THREAD, "thread", SESSION, private, CHANNEL)
    began(world)
    assert lines(prompt(world, audience=private)) == []


def test_what_was_said_to_few_is_not_told_in_a_thread_that_is_held_for_open(world: World) -> None:
    restricted(world, IN_THREAD)
    assert lines(prompt(world)) == []


def test_where_the_channel_closed_since_nothing_is_told_of_what_was_said_to_all(world: World) -> None:
    began(world)
    closed = Audience("channel", CHANNEL, 1)
    changed(world, CHANNEL, closed)
    assert lines(prompt(world)) == []
    changed(world, THREAD, closed)
    assert lines(prompt(world, audience=closed)) == []


def test_what_was_said_to_few_stays_closed_when_the_channel_opens(world: World) -> None:
    restricted(world, OF_FEW)
    opened, in_thread = Audience("guild", CHANNEL, 1), Audience("guild", THREAD, 1)
    changed(world, CHANNEL, opened)
    changed(world, THREAD, in_thread)
    assert lines(prompt(world, audience=in_thread)) == []


def test_a_thread_that_begins_after_the_channel_changed_has_it(world: World) -> None:
    closed = Audience("channel", CHANNEL, 1)
    changed(world, CHANNEL, closed)
    place(world, THREAD, "thread", SESSION, OF_FEW, CHANNEL)
    began(world, closed)
    assert lines(prompt(world, audience=OF_FEW)) == [BEGAN]


def test_what_lies_among_the_words_to_others_by_mistake_is_not_told(world: World) -> None:
    began(world, Audience("channel", Ref("discord", "elsewhere")))
    assert lines(prompt(world)) == []


def test_a_fresh_window_does_not_reach_back_to_it(world: World) -> None:
    began(world)
    again = Audience("guild", THREAD, 2)
    changed(world, THREAD, again)
    assert lines(prompt(world, audience=again)) == []


def test_who_answers_others_than_those_that_are_recorded_is_not_told(world: World) -> None:
    restricted(world, Audience("channel", THREAD))
    assert lines(prompt(world, audience=OF_FEW)) == []


def test_no_other_guild_has_it(world: World) -> None:
    heard = msgspec.structs.replace(spoken("of another guild", 1), ref=THREAD, guild=Ref("discord", "another"))
    hear(world, heard)
    assert lines(prompt(world)) == []


# -- what may be told again --------------------------------------------------------------------------------------------


def test_what_went_quiet_is_not_told(world: World) -> None:
    heard = began(world)
    status: Status = "forgotten"
    item = Item("durable-1", ERIN, "guild/discord:club", "fact", "Grows roses.", NOW, NOW, Source("model"), status)
    world.add(ItemForgotten(said=NOW, by=OPERATOR, item=item, quiet=(heard.id,)))
    assert lines(prompt(world)) == []


def test_what_was_edited_is_told_as_it_is_and_what_was_deleted_is_not(world: World) -> None:
    heard = began(world)
    now = msgspec.structs.replace(spoken("my roses are fine", 1), ref=THREAD)
    (edit,) = world.add(MessageEdited(said=NOW + 2, by=PLATFORM, heard=heard.id, message=now))
    asked = say(world, "what should I do about it?", 60)
    context = assemble(world.rows, asking(asked))
    assert lines(context) == ["[Erin]: my roses are fine"]
    assert context.causes[1:] == (heard.id, edit.id)
    gone = MessageDeleted(said=NOW + 3, by=PLATFORM, heard=heard.id, session=ABOVE, audience=OPEN, heard_said=NOW + 1)
    world.add(gone)
    assert lines(assemble(world.rows, asking(asked))) == []


def answered(world: World, said: int = 1, **changed: object) -> Record:
    """The assistant answers in the channel, and there the thread begins."""
    made = answer(World(), "black spots are a fungus", said, session=ABOVE, audience=OPEN)
    assert isinstance(made.event, TurnAnswered)
    (record,) = world.add(msgspec.structs.replace(made.event, **{"guild": GUILD, **changed}))
    delivered(world, record, THREAD)
    return record


def test_an_answer_at_which_it_began_is_told(world: World) -> None:
    turn = answered(world)
    asked = say(world, "what should I do about it?", 60)
    context = assemble(world.rows, asking(asked))
    assert lines(context) == ["[dnam]: black spots are a fungus"]
    assert context.causes[1:] == (turn.id,)


def test_words_of_its_own_that_were_read_back_are_told(world: World) -> None:
    began(world, author="self")
    assert lines(prompt(world)) == ["[dnam]: my roses have black spots"]


def test_an_answer_that_others_could_read_is_not(world: World) -> None:
    answered(world, audience=OF_FEW)
    assert lines(prompt(world)) == []


def test_an_answer_of_another_guild_is_not(world: World) -> None:
    answered(world, guild=Ref("discord", "another"))
    assert lines(prompt(world)) == []


def test_an_answer_that_was_given_behind_the_point_is_not(world: World) -> None:
    asked = say(world, "before it began", 0)
    answered(world)
    assert lines(assemble(world.rows, asking(asked))) == []


def test_an_answer_that_was_given_in_an_earlier_era_is_not(world: World) -> None:
    answered(world)
    refreshed = SummaryRefreshed(
        said=NOW, by=PLATFORM, session=ABOVE, audience=OPEN, era=2, refresh=1, text="Roses.", after=None,
        upto=Point(NOW + 1, EventId(b"")), covered=1, call=ModelUse("offline", "1"),
    )  # fmt: skip
    world.add(refreshed)
    assert lines(prompt(world)) == []


def test_an_answer_that_went_quiet_with_what_it_had_before_it_is_not(world: World) -> None:
    heard = hear(world, spoken("my roses are ill", 0))
    turn = answered(world)
    status: Status = "forgotten"
    item = Item("durable-1", ERIN, "guild/discord:club", "fact", "Grows roses.", NOW, NOW, Source("model"), status)
    world.add(ItemForgotten(said=NOW, by=OPERATOR, item=item, quiet=(heard.id, turn.id)))
    assert lines(prompt(world)) == []


def test_an_answer_that_was_taken_away_is_not(world: World) -> None:
    turn = answered(world)
    row = find_turn(world.rows, turn.id)
    assert row is not None
    world.add(turn_withdrawn(row, NOW + 9))
    assert lines(prompt(world)) == []


def test_what_went_quiet_is_read_once_for_a_prompt(world: World) -> None:
    began(world)
    heard = say(world, "they are yellow", 2)
    assert isinstance(heard.event, MessageHeard)
    to = heard.event.message.ref
    reply = message("and these?", 60, session=SESSION, audience=IN_THREAD, reply_to=to)
    asked = hear(world, msgspec.structs.replace(reply, guild=GUILD))
    counting = Scans(world)
    context = assemble(Rows(counting, world.rows.ids), asking(asked, Limits(passages=3, passage_chars=900)))
    assert context.replied is not None
    assert lines(context)[0] == BEGAN
    assert counting.tables.count(QUIET.table) == 1


class Scans(Counting):
    """Notes which tables are scanned."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.tables: list[str] = []

    def scan(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, Stored]]:
        self.tables.append(table)
        return super().scan(table, start, stop, reverse=reverse)


def test_what_another_bot_said_is(world: World) -> None:
    began(world, author="bot", author_name="Robo")
    assert lines(prompt(world)) == ["[Robo (bot)]: my roses have black spots"]


def test_what_was_said_behind_the_point_is_not(world: World) -> None:
    asked = say(world, "before it began", 0)
    began(world)
    assert lines(assemble(world.rows, asking(asked))) == []


# -- where the window reaches back so far ------------------------------------------------------------------------------


def test_a_full_window_has_no_room_for_it(world: World) -> None:
    began(world)
    for said in (2, 3):
        say(world, f"line {said}", said)
    asked = say(world, "and now?", 60)
    three, two, one = (lines(assemble(world.rows, asking(asked, Limits(history_messages=most)))) for most in (3, 2, 1))
    assert three == [BEGAN, "[Dave]: line 2", "[Dave]: line 3"]
    assert two == ["[Dave]: line 2", "[Dave]: line 3"]
    assert one == ["[Dave]: line 3"]
    assert lines(assemble(world.rows, asking(asked, Limits(history_messages=0)))) == []


def test_it_counts_among_the_characters_and_what_does_not_fit_is_reported(world: World) -> None:
    heard = began(world)
    say(world, "how bad?", 3)
    chars = len(f"{BEGAN}\n[Dave]: how bad?")
    asked = say(world, "and now?", 60)
    fits = assemble(world.rows, asking(asked, Limits(history_chars=chars)))
    over = assemble(world.rows, asking(asked, Limits(history_chars=chars - 1)))
    assert lines(fits) == [BEGAN, "[Dave]: how bad?"]
    assert fits.left_out == ()
    assert lines(over) == ["[Dave]: how bad?"]
    assert over.left_out == (LeftOut("recent", heard.id.hex(), f"over {chars - 1} characters"),)
    assert heard.id not in over.causes


def test_above_what_was_left_out_it_does_not_stand(world: World) -> None:
    began(world)
    paste = say(world, "x" * 100, 3)
    say(world, "how bad?", 4)
    context = prompt(world, Limits(history_chars=90))
    assert lines(context) == ["[Dave]: how bad?"]
    assert context.left_out == (LeftOut("recent", paste.id.hex(), "over 90 characters"),)


def test_it_is_the_first_of_the_conversation_to_go(world: World) -> None:
    heard = began(world)
    say(world, "how bad?", 3)
    asked = say(world, "and now?", 60)
    whole = assemble(world.rows, asking(asked)).text
    tokens = asking(asked).counter.count(whole) - 1
    context = assemble(world.rows, asking(asked, Limits(tokens=tokens)))
    assert lines(context) == ["[Dave]: how bad?"]
    assert [each.what for each in context.left_out] == [heard.id.hex()]
    assert heard.id not in context.causes


def test_it_is_no_passage_besides(world: World) -> None:
    heard = began(world)
    near = hear(world, spoken("black spots on roses are a fungus", 2))
    asked = say(world, "black spots on roses?", 60)
    context = assemble(world.rows, asking(asked, Limits(passages=3, passage_chars=900)))
    assert lines(context) == [BEGAN]
    assert [line.id for each in context.past for line in each.lines] == [near.id]
    full = assemble(world.rows, asking(asked, Limits(history_messages=0, passages=3, passage_chars=900)))
    assert heard.id in [line.id for each in full.past for line in each.lines]


def test_who_began_the_thread_is_in_the_room(world: World) -> None:
    began(world)
    item = Item("durable-1", ERIN, "guild/discord:club", "fact", "Has old roses.", NOW, NOW, Source("manual"))
    world.add(ItemRemembered(said=NOW, by=OPERATOR, item=item))
    assert [hit.item.text for hit in prompt(world, Limits(room_items=3, room_chars=900)).room] == ["Has old roses."]
