"""The recent conversation, read backwards and no further than it reaches."""

from collections.abc import Iterator

from projections.caller import Caller
from projections.events import ItemForgotten, MessageDeleted, MessageEdited, MessageHeard, SummaryRefreshed
from projections.events.values import OPERATOR, PLATFORM, Audience, Item, LeftOut, Limits, ModelUse, Source, Span
from projections.fold import Record
from projections.ids import Point
from projections.messages import unit
from projections.rows import Ids, RawRows, Rows, Stored
from projections.said import LATE_MS, SAID_TABLES, answers_behind, backwards
from projections.window import Window, fit, recent
from replay.kept import OFTEN, Kept
from tests.projections.channel import (
    AUDIENCE,
    DAVE,
    END,
    ERIN,
    HERE,
    SESSION,
    answer,
    hear,
    message,
    rendered,
    say,
    window,
)
from tests.world import NOW, World


class Counting:
    """The raw rows of a world, which note what is read of them."""

    def __init__(self, world: World) -> None:
        self._raw = world.raw
        self.keys_read: list[bytes] = []

    def get(self, table: str, key: bytes) -> Stored | None:
        return self._raw.get(table, key)

    def scan(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[tuple[bytes, Stored]]:
        for key, stored in self._raw.scan(table, start, stop, reverse=reverse):
            self.keys_read.append(key)
            yield key, stored

    def keys(self, table: str, start: bytes, stop: bytes, *, reverse: bool = False) -> Iterator[bytes]:
        return (key for key, _ in self.scan(table, start, stop, reverse=reverse))


def test_messages_and_answers_stand_in_the_order_in_which_they_were_said(world: World) -> None:
    answer(world, "Hello Dave.", 2)
    say(world, "And me?", 3, ERIN)
    say(world, "Hi!", 1)
    answer(world, "You too.", 4)
    assert rendered(world) == ["[Dave]: Hi!", "[dnam]: Hello Dave.", "[Erin]: And me?", "[dnam]: You too."]


def test_nothing_is_said_in_a_session_that_is_new(world: World) -> None:
    assert window(world) == Window((), (), {})


def test_only_what_was_said_strictly_before_the_point_is_there(world: World) -> None:
    say(world, "before", 1)
    asked = say(world, "asked", 2)
    answer(world, "answered", 3)
    assert rendered(world, Point(NOW + 2, asked.id)) == ["[Dave]: before"]


def test_messages_of_one_moment_go_by_their_ids(world: World) -> None:
    records = sorted((say(world, str(n), 1) for n in range(5)), key=lambda record: record.id)
    assert [line.id for line in window(world).lines] == [record.id for record in records]
    assert [line.id for line in window(world, Point(NOW + 1, records[2].id)).lines] == [each.id for each in records[:2]]


def test_other_sessions_and_other_epochs_are_not_read(world: World) -> None:
    say(world, "here", 1)
    hear(world, message("elsewhere", 2, session="discord:channel:other"))
    hear(world, message("after the audience changed", 3, audience=Audience("channel", HERE, 1)))
    answer(world, "elsewhere", 4, session="discord:channel:other")
    assert rendered(world) == ["[Dave]: here"]
    assert [line.text for line in window(world, epoch=1).lines] == ["after the audience changed"]


def test_the_newest_twenty_are_kept_and_the_rest_is_reported(world: World) -> None:
    for n in range(20):
        say(world, str(n), n)
    assert window(world).left_out == ()
    say(world, "20", 20)
    assert [line.text for line in window(world).lines] == [str(n) for n in range(1, 21)]
    assert window(world).left_out == (LeftOut("recent", "what was said earlier", "over 20 messages"),)


def test_the_body_fills_its_budget_to_the_last_character(world: World) -> None:
    say(world, "one", 1)
    say(world, "two", 2)
    body = "[Dave]: one\n[Dave]: two"
    assert "\n".join(rendered(world, limits=Limits(history_chars=len(body)))) == body
    assert rendered(world, limits=Limits(history_chars=len(body) - 1)) == ["[Dave]: two"]


def test_what_is_too_long_is_left_out_whole_and_reported(world: World) -> None:
    say(world, "old", 1)
    pasted = say(world, "x" * 3000, 2)
    say(world, "new", 3)
    assert rendered(world) == ["[Dave]: old", "[Dave]: new"]
    assert window(world).left_out == (LeftOut("recent", pasted.id.hex(), "over 3000 characters"),)


def test_a_window_may_be_switched_off(world: World) -> None:
    say(world, "said", 1)
    assert rendered(world, limits=Limits(history_messages=0)) == []
    assert rendered(world, limits=Limits(history_chars=0)) == []


def test_never_the_whole_session_is_read(world: World) -> None:
    for n in range(200):
        say(world, "word", n)
    read = Counting(world)
    rows = Rows(read, world.ids)
    assert len(recent(rows, SESSION, 0, END, Limits(), Caller(rows, "dnam")).lines) == 20
    assert len(read.keys_read) < 30


def test_an_edited_message_is_shown_as_it_is_and_a_deleted_one_is_not(world: World) -> None:
    heard = say(world, "cofee", 1)
    gone = say(world, "oops", 2)
    edit = MessageEdited(said=NOW + 9, by=PLATFORM, heard=heard.id, message=message("coffee", 1))
    edited = world.add(edit)[0]
    world.add(
        MessageDeleted(said=NOW + 9, by=PLATFORM, heard=gone.id, session=SESSION, audience=AUDIENCE, heard_said=NOW + 2)
    )
    (line,) = window(world).lines
    assert (line.text, line.id, line.event, line.seq) == ("coffee", heard.id, edited.id, edited.seq)


def test_what_has_nothing_to_show_takes_no_line(world: World) -> None:
    say(world, " \n", 1)
    answer(world, "", 2)
    hear(world, message("", 3, spans=(Span(0, ERIN),)))
    answer(world, "", 4, spans=(Span(0, DAVE),))
    assert rendered(world) == ["[Dave]: @Erin", "[dnam]: @Dave"]
    assert len(list(backwards(world.rows, SESSION, 0, END))) == 2


def test_what_went_quiet_stays_in_the_conversation(world: World) -> None:
    heard = say(world, "I like tea", 1)
    item = Item("durable-1", DAVE, "guild/discord:g", "fact", "Likes tea.", NOW, NOW, Source("model"), "forgotten")
    world.add(ItemForgotten(said=NOW, by=OPERATOR, item=item, quiet=(heard.id,)))
    assert rendered(world) == ["[Dave]: I like tea"]


def test_fit_skips_what_is_too_long_and_stops_at_the_count() -> None:
    assert fit(["aaa", "bbbb", "c", "d"], 5, 2, len) == ([0, 2], [1], [3])
    assert fit(["aaa", "bb"], 5, 9, len) == ([0], [1], [])
    assert fit(["aaa", "bb"], 6, 9, len) == ([0, 1], [], [])
    assert fit([""], 0, 1, len) == ([0], [], [])
    assert fit(["a"], 0, 1, len) == ([], [0], [])


# -- answers that were given behind the point --------------------------------------------------------------------------


def lines_before(world: World, asked: Record) -> list[str]:
    """The window of a message; the same where it is kept in order what was said."""
    lines = rendered(world, point(asked))
    rows = kept(world.raw, world.ids)
    again = recent(rows, SESSION, 0, point(asked), Limits(), Caller(rows, "dnam"))
    assert [line.rendered for line in again.lines] == lines
    return lines


def kept(raw: RawRows, ids: Ids) -> Rows:
    """The same rows where it is kept in order what was said in the channel."""
    rows = Rows(raw, ids, Kept())
    for _ in range(OFTEN):
        rows.order(SAID_TABLES, unit(SESSION, 0))
    return rows


def point(asked: Record) -> Point:
    assert isinstance(asked.event, MessageHeard)
    return Point(asked.event.said, asked.id)


def test_an_answer_to_somebody_before_stands_there_though_it_was_given_behind_the_point(world: World) -> None:
    first = say(world, "When are roses pruned?", 1, ERIN)
    second = say(world, "And why, as you told Erin?", 2)
    assert lines_before(world, second) == ["[Erin]: When are roses pruned?"]
    answer(world, "In March.", 9, answers=first.id)
    assert lines_before(world, second) == ["[Erin]: When are roses pruned?", "[dnam]: In March."]


def test_of_several_that_wait_each_has_the_answers_before_its_own_by_when_they_were_said(world: World) -> None:
    asked = [say(world, f"question {n}", n, (DAVE, ERIN)[n % 2]) for n in range(4)]
    for n, each in enumerate(asked):
        answer(world, f"answer {n}", 10 + n, answers=each.id)
    for n, each in enumerate(asked):
        lines = [line.text for line in window(world, point(each)).lines]
        assert lines == [*(f"question {k}" for k in range(n)), *(f"answer {k}" for k in range(n))]


def test_an_answer_to_the_message_itself_or_to_one_behind_it_is_not_there(world: World) -> None:
    asked, later = say(world, "asked", 1), say(world, "later", 2)
    answer(world, "to it", 3, answers=asked.id)
    answer(world, "to the later one", 4, answers=later.id)
    assert lines_before(world, asked) == []
    assert lines_before(world, later) == ["[Dave]: asked", "[dnam]: to it"]


def test_of_messages_of_one_moment_the_one_with_the_lesser_id_was_asked_before(world: World) -> None:
    first, second = sorted((say(world, text, 1) for text in ("a", "b")), key=lambda record: record.id)
    for each in (first, second):
        answer(world, "yes", 5, answers=each.id)
    assert len(lines_before(world, first)) == 0
    assert len(lines_before(world, second)) == 2


def test_an_answer_to_what_is_gone_or_lies_elsewhere_is_not_there(world: World) -> None:
    elsewhere = hear(world, message("elsewhere", 1, session="discord:channel:other"))
    gone = say(world, "gone", 1)
    asked = say(world, "asked", 2)
    answer(world, "to what is elsewhere", 3, answers=elsewhere.id)
    answer(world, "to what is gone", 4, answers=gone.id)
    answer(world, "to nothing", 5)
    answer(world, "", 6, answers=gone.id)
    deleted = MessageDeleted(
        said=NOW + 9, by=PLATFORM, heard=gone.id, session=SESSION, audience=AUDIENCE, heard_said=NOW + 1
    )
    world.add(deleted)
    assert lines_before(world, asked) == []


def test_an_answer_of_an_earlier_era_is_not_there_however_late_it_was_given(world: World) -> None:
    first, second = say(world, "first", 1), say(world, "second", 2)
    answer(world, "In March.", 9, answers=first.id)
    refreshed = SummaryRefreshed(
        said=NOW + 1, by=PLATFORM, session=SESSION, audience=AUDIENCE, era=2, refresh=0, text="", after=None,
        upto=point(first), covered=1, call=ModelUse("offline", "1"),
    )  # fmt: skip
    world.add(refreshed)
    assert lines_before(world, second) == ["[Dave]: first"]


def test_nobody_is_answered_later_than_a_day_so_further_is_not_looked(world: World) -> None:
    first, second = say(world, "first", 1), say(world, "second", 2)
    answer(world, "in time", LATE_MS, answers=first.id)
    answer(world, "too late", LATE_MS + 3, answers=first.id)
    assert lines_before(world, second) == ["[Dave]: first", "[dnam]: in time"]


def test_they_count_among_the_newest(world: World) -> None:
    first = say(world, "first", 1)
    for n in range(2, 6):
        say(world, str(n), n, ERIN)
    asked = say(world, "asked", 6)
    answer(world, "late", 9, answers=first.id)
    made = window(world, point(asked), Limits(history_messages=3))
    assert [line.text for line in made.lines] == ["4", "5", "late"]
    assert made.left_out == (LeftOut("recent", "what was said earlier", "over 3 messages"),)


def test_where_nothing_was_answered_behind_a_point_no_message_is_read_for_it(world: World) -> None:
    for n in range(200):
        say(world, "word", n)
    asked = say(world, "asked", 100, ERIN)
    read = Counting(world)
    rows = Rows(read, world.ids)
    assert len(recent(rows, SESSION, 0, point(asked), Limits(), Caller(rows, "dnam")).lines) == 20
    assert len(read.keys_read) < 30


def test_where_it_is_kept_in_order_what_was_said_nothing_is_scanned_for_what_was_answered_behind_a_point(
    world: World,
) -> None:
    first, second = say(world, "first", 1), say(world, "second", 2)
    late = answer(world, "late", 9, answers=first.id)
    read = Counting(world)
    rows = kept(read, world.ids)
    read.keys_read.clear()
    assert [each.row.event for each in answers_behind(rows, SESSION, 0, point(second))] == [late.id]
    assert late.id not in [key[-16:] for key in read.keys_read]
