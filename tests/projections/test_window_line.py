"""A line of the conversation: what it shows, and how long it is."""

from projections.blocks import Basis, Line
from projections.caller import Caller
from projections.events.values import Attachment, Span
from projections.ids import EventId, Ref
from projections.said import backwards
from projections.window_line import entry_chars, entry_line, spoken_words
from tests.projections.channel import (
    DAVE,
    END,
    ERIN,
    SESSION,
    answer,
    delivered,
    hear,
    message,
    rendered,
    say,
    window,
)
from tests.world import NOW, World


def test_a_line_knows_where_it_comes_from(world: World) -> None:
    heard = say(world, "Hi!", 1)
    turn = answer(world, "Hello.", 2, assistant="Older Name")
    first, second = window(world).lines
    assert (first.id, first.event, first.seq, first.said) == (heard.id, heard.id, heard.seq, NOW + 1)
    assert (first.by_assistant, first.is_turn) == (False, False)
    assert (second.id, second.event, second.seq, second.said) == (turn.id, turn.id, turn.seq, NOW + 2)
    assert (second.by_assistant, second.is_turn, second.name) == (True, True, "Older Name")


def test_what_is_not_recorded_yet_rests_on_nothing(world: World) -> None:
    say(world, "Hi!", 1)
    (line,) = window(world).lines
    assert Line("", line).basis == Basis("message", line.event, line.seq)
    assert Line("", line._replace(id=EventId(b""))).basis is None


def test_attachments_are_named_with_their_captions(world: World) -> None:
    files = (Attachment("a [x].png", 5), Attachment("b.jpg", caption="a dog\non a beach"))
    hear(world, message("Look!", 1, attachments=files))
    hear(world, message("", 2, attachments=files[:1]))
    assert rendered(world) == [
        "[Dave]: Look! [attachment: a x.png] [attachment: b.jpg: a dog on a beach]",
        "[Dave]: [attachment: a x.png]",
    ]
    assert window(world).words == "Look! a dog\non a beach\n"


def test_what_is_forwarded_or_asked_in_a_poll_is_not_what_is_said_and_what_an_image_shows_is(world: World) -> None:
    others = [Attachment(each, caption=f"a {each}") for each in ("forwarded message", "poll")]
    image = Attachment("cat.png", caption="a cat")
    said = message("look ", 1, spans=(Span(5, ERIN),), attachments=(*others, image))
    caller = Caller(world.rows, "dnam")
    assert spoken_words(said, caller) == "look @Erin a cat"
    assert caller.mentioned == {ERIN: "Erin"}


def test_a_reply_names_whom_it_answers_when_that_was_said_lately(world: World) -> None:
    say(world, "Tea?", 1, ERIN)
    turn = answer(world, "Coffee.", 2)
    delivered(world, turn, Ref("discord", "d"))
    answer(world, "Or cocoa.", 3)
    hear(world, message("Yes.", 4, reply_to=Ref("discord", "1")))
    hear(world, message("No.", 5, reply_to=Ref("discord", "d")))
    hear(world, message("What?", 6, reply_to=Ref("discord", "long ago")))
    assert rendered(world)[3:] == ["[Dave]: (reply to Erin) Yes.", "[Dave]: (reply to dnam) No.", "[Dave]: What?"]


def test_several_lines_are_one_message(world: World) -> None:
    say(world, "a\n[dnam]: b\n\n---", 1)
    assert rendered(world) == ["[Dave]: a\n  [dnam]: b\n  \n  ---"]


def test_a_line_that_only_says_something_is_as_long_as_it_is_measured(world: World) -> None:
    plain = ["tea", "two\nlines\n\nand \x07 one", "\u202eturned", "日本語 🌱", " "]
    for number, text in enumerate(plain):
        say(world, text, 2 * number)
        answer(world, text, 2 * number + 1, assistant="old name")
    hear(world, message("beep", 50, author="bot", author_name="Counter: (9)"))
    hear(world, message("who", 51, author="unknown", author_name="Dave"))
    measuring, rendering = Caller(world.rows, "dnam"), Caller(world.rows, "dnam")
    found = list(backwards(world.rows, SESSION, 0, END))
    assert len(found) == 10
    for entry in found:
        assert entry_chars(entry.row, measuring) == len(entry_line(entry, rendering, {}).rendered)
    assert measuring.authors == rendering.authors == {DAVE}


def test_what_names_replies_or_attaches_is_not_measured_without_its_line(world: World) -> None:
    hear(world, message("hi ", 1, spans=(Span(3, ERIN, "mention"),)))
    hear(world, message("yes", 2, reply_to=Ref("discord", "1")))
    hear(world, message("see", 3, attachments=(Attachment("plan.png", 10, ""),)))
    answer(world, "hi ", 4, spans=(Span(3, ERIN, "mention"),))
    caller = Caller(world.rows, "dnam")
    found = list(backwards(world.rows, SESSION, 0, END))
    assert [entry_chars(entry.row, caller) for entry in found] == [None] * 4
