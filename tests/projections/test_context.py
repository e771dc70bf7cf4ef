"""The prompt: its form, its budgets, what it rests on, and what never gets into it."""

import hashlib
import re
from typing import NamedTuple

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projections.blocks import Basis, Block, Line, item_line
from projections.context import Request, assemble, remembered
from projections.days import utc_date
from projections.events import ItemRemembered, MessageEdited, SummaryRefreshed, SummaryReset
from projections.events.values import (
    OPERATOR,
    PLATFORM,
    Attachment,
    Audience,
    By,
    FileDigest,
    Item,
    ItemUse,
    LeftOut,
    Limits,
    ModelUse,
    Source,
    Status,
)
from projections.fold import Record
from projections.ids import NOBODY, EventId, Handle, Point, Ref
from projections.policies.compartments import (
    OWNER,
    SELF,
    Setting,
    direct,
    everywhere,
    in_channel,
    in_guild,
    of_person_in,
)
from projections.quoting import INDENT, SEPARATOR, TITLES, label, line_name, one_line
from projections.retrieval import Vocabulary
from tests.projections.channel import AUDIENCE, DAVE, END, ERIN, HERE, SESSION, answer, hear, message, say
from tests.projections.test_quoting import CHARACTERS, TEXTS, opened, shown, unindented
from tests.world import NOW, World, handle

GUILD = Ref("discord", "club")
IN_GUILD = Audience("guild", HERE)
VOCABULARY = Vocabulary(frozenset({"what", "the"}), frozenset({"repo", "build"}))
MANUAL = Source("manual")
DAY = 24 * 3600 * 1000

GOLDEN = """\
Context files (read with Read tool before responding, in order):
- /content/discord/base/core.md
- /content/discord/channels/general.md

---
Durable memory (user-specific notes; may be empty):
- [project] Builds a weather station in the garden. (src: discord:general/1, updated 2023-11-14)
- [preference] Prefers metric units. (src: manual, updated 2023-08-06)

---
Conversation memory (rolling summary; may be empty):
Dave is choosing sensors.
  Erin lends him a multimeter.

---
Recent conversation:
[Dave]: Which sensor is the best?
[dnam]: The one you own, @Dave.
[Erin]: True.
  Very true.

---
User message:
How far is the weather build? [attachment: garden.png]

---
Discord Actions:
<discord-action>{"type":"react"}</discord-action>"""


def item(
    text: str,
    *,
    item_id: str = "",
    kind: str = "fact",
    owner: Handle = DAVE,
    compartment: str = "",
    updated: int = NOW - 100 * DAY,
    source: Source = MANUAL,
    status: Status = "active",
    valid_until: int | None = None,
) -> Item:
    """An item, in Dave's portable compartment unless it is said otherwise."""
    return Item(
        item_id or f"durable-{text}",
        owner,
        compartment or everywhere(DAVE),
        kind,
        text,
        updated,
        updated,
        source,
        status,
        valid_until=valid_until,
    )


def learn(world: World, *items: Item) -> list[Record]:
    """The items are remembered."""
    return world.add(*(ItemRemembered(said=NOW, by=OPERATOR, item=each) for each in items))


def summarise(world: World, text: str, *, session: str = SESSION, audience: Audience = AUDIENCE) -> Record:
    """The session has a summary."""
    refreshed = SummaryRefreshed(
        said=NOW,
        by=By("model", name="offline", version="1"),
        session=session,
        audience=audience,
        era=1,
        text=text,
        refresh=1,
        after=None,
        upto=END,
        covered=1,
        call=ModelUse("offline", "1"),
    )
    return world.add(refreshed)[0]


def request(
    text: str = "", point: Point = END, limits: Limits | None = None, setting: Setting | None = None
) -> Request:
    """Dave asks in the channel."""
    return Request(
        setting=setting or Setting(DAVE, AUDIENCE, GUILD),
        session=SESSION,
        point=point,
        assistant="dnam",
        vocabulary=VOCABULARY,
        text=text,
        limits=limits or Limits(),
    )


def durable(world: World, asked: Request) -> list[str]:
    return [line.text for line in assemble(world.rows, asked).memory.durable.lines]


def texts(world: World, asked: Request) -> set[str]:
    return {hit.item.text for hit in assemble(world.rows, asked).memory.hits}


class Told(NamedTuple):
    """A world in which everything is there, and what a message in it asks for."""

    world: World
    request: Request
    asked: Record


@pytest.fixture
def told(world: World) -> Told:
    say(world, "Which sensor is the best?", 1)
    answer(world, "The one you own, @Dave.", 2)
    say(world, "True.\nVery true.", 3, ERIN)
    asked = hear(world, message("How far is the weather build?", 4, attachments=(Attachment("garden.png"),)))
    said = Source("discord", HERE, Ref("discord", "1"))
    learn(
        world,
        item("Prefers metric units.", kind="preference"),
        item("Builds a weather station in the garden.", kind="project", updated=NOW, source=said),
    )
    summarise(world, "Dave is choosing sensors.\nErin lends him a multimeter.")
    files = tuple(FileDigest(f"/content/discord/{name}.md", bytes(32)) for name in ("base/core", "channels/general"))
    actions = '<discord-action>{"type":"react"}</discord-action>\n'
    return Told(world, request(point=Point(NOW + 4, asked.id))._replace(files=files, actions=actions), asked)


def test_the_prompt_is_the_template_word_for_word(told: Told) -> None:
    assert assemble(told.world.rows, told.request).text == GOLDEN


def test_the_same_request_gives_the_same_bytes(told: Told) -> None:
    context = assemble(told.world.rows, told.request)
    assert assemble(told.world.rows, told.request) == context
    assert context.digest == hashlib.sha256(GOLDEN.encode()).digest()


def test_every_line_says_what_it_rests_on(told: Told) -> None:
    context = assemble(told.world.rows, told.request)
    heard, turn, other, asked, metric, station, summary = told.world.records[2:]
    bases = {block.name: [line.basis for line in block.lines] for block in context.blocks}
    uses = [
        ItemUse(DAVE, everywhere(DAVE), "durable-Builds a weather station in the garden.", station.id),
        ItemUse(DAVE, everywhere(DAVE), "durable-Prefers metric units.", metric.id),
    ]
    assert bases == {
        "files": [None, None],
        "durable": [Basis("item", station.id, station.seq, uses[0]), Basis("item", metric.id, metric.seq, uses[1])],
        "summary": [Basis("summary", summary.id, summary.seq)],
        "recent": [
            Basis("message", heard.id, heard.seq),
            Basis("turn", turn.id, turn.seq),
            Basis("message", other.id, other.seq),
        ],
        "message": [Basis("message", asked.id, asked.seq)],
        "actions": [None],
    }
    assert context.items == tuple(uses)
    assert context.causes == (asked.id, heard.id, turn.id, other.id, station.id, metric.id, summary.id)


def test_blocks_know_their_size(told: Told) -> None:
    context = assemble(told.world.rows, told.request)
    assert context.sizes["recent"] == len(
        "[Dave]: Which sensor is the best?\n[dnam]: The one you own, @Dave.\n[Erin]: True.\n  Very true."
    )
    titles = sum(len(TITLES[block.name]) + 1 for block in context.blocks)
    assert len(context.text) == sum(context.sizes.values()) + titles + 5 * len(SEPARATOR)


def test_the_pieces_are_there_for_a_model_s_adapter(told: Told) -> None:
    context = assemble(told.world.rows, told.request)
    assert [line.name for line in context.window.lines] == ["Dave", "dnam", "Erin"]
    assert (context.message.name, context.message.words) == ("Dave", "How far is the weather build?")
    assert [(hit.item.kind, hit.score, hit.reason) for hit in context.memory.hits] == [
        ("project", 4, "shares weather; a project, asked about one (+2); updated within 7 days (+1)"),
        ("preference", 0, "fills the room that is left"),
    ]
    assert context.left_out == ()


def test_blocks_without_a_body_are_left_out(world: World) -> None:
    assert assemble(world.rows, request("Hello")).text == "User message:\nHello"
    assert assemble(world.rows, request(" \n ")).text == ""


def test_a_free_text_rests_on_nothing(world: World) -> None:
    context = assemble(world.rows, request("Hello"))
    assert context.blocks == (Block("message", (Line("Hello"),)),)
    assert (context.message.name, context.message.id, context.causes) == ("Dave", b"", ())


def test_who_is_not_recorded_is_answered_as_someone(world: World) -> None:
    asked = request("Hello", setting=Setting(NOBODY, AUDIENCE, GUILD))
    assert assemble(world.rows, asked).message.name == "someone"


def test_the_message_stands_where_it_is_asked_and_not_in_its_own_window(world: World) -> None:
    asked = say(world, "First", 1)
    say(world, "Later", 2)
    context = assemble(world.rows, request("not this", Point(NOW + 1, asked.id)))
    assert context.text == "User message:\nFirst"
    assert context.causes == (asked.id,)


def test_a_reply_names_whom_it_answers(world: World) -> None:
    say(world, "Tea?", 1, ERIN)
    asked = hear(world, message("Yes", 2, reply_to=Ref("discord", "1")))
    context = assemble(world.rows, request(point=Point(NOW + 2, asked.id)))
    assert context.text.endswith("User message:\n  (reply to Erin) Yes")


def test_an_edited_message_is_two_causes(world: World) -> None:
    heard = say(world, "cofee", 1)
    edit = MessageEdited(said=NOW + 9, by=PLATFORM, heard=heard.id, message=message("coffee", 1))
    edited = world.add(edit)[0]
    context = assemble(world.rows, request("Hello"))
    assert context.causes == (heard.id, edited.id)
    assert context.blocks[0].lines[0].basis == Basis("message", edited.id, edited.seq)


def test_a_reset_summary_is_none(world: World) -> None:
    summarise(world, "Old.")
    world.add(SummaryReset(said=NOW, by=OPERATOR, session=SESSION, audience=AUDIENCE, era=1, upto=None))
    context = assemble(world.rows, request("Hello"))
    assert (context.text, context.memory.summary_event) == ("User message:\nHello", b"")


@pytest.mark.parametrize(
    ("text", "limit", "kept"),
    [
        ("one two six", 11, "one two six"),
        ("one two six", 10, "one two"),
        ("one two six", 7, "one two"),
        ("one two six", 8, "one two"),
        ("one two six", 2, "on"),
        ("one\ntwo", 6, "one"),
        ("one\ntwo", 7, "one\n  two"),
        ("-- one", 2, "  --"),
        ("--one", 2, "  --"),
        ("one", 0, ""),
        ("-- one", 0, ""),
    ],
)
def test_a_summary_over_its_limit_is_cut_at_a_word(world: World, text: str, limit: int, kept: str) -> None:
    summarise(world, text)
    context = assemble(world.rows, request("Hello", limits=Limits(summary_chars=limit)))
    assert context.memory.summary.body == kept
    assert len(_unquoted(kept)) <= limit
    assert [out.block for out in context.left_out] == ([] if kept.replace("\n  ", "\n") == text else ["summary"])


def _unquoted(body: str) -> str:
    return "\n".join(line.removeprefix("  ") for line in body.splitlines())


def test_a_summary_within_its_limit_is_never_cut(world: World) -> None:
    text = "\n".join("- " + "word " * 15 + "." for _ in range(25))
    summarise(world, text[:2000])
    context = assemble(world.rows, request("Hello"))
    assert _unquoted(context.memory.summary.body) == text[:2000].rstrip()
    assert context.left_out == ()


def test_what_is_cut_of_a_summary_is_reported(world: World) -> None:
    summarise(world, "one two six")
    context = assemble(world.rows, request("Hello", limits=Limits(summary_chars=8)))
    assert context.left_out == (LeftOut("summary", "the last 4 characters", "over 8"),)


def test_at_most_twelve_items_are_shown_and_the_rest_is_reported(world: World) -> None:
    learn(world, *(item(f"{n:02}", updated=NOW - (100 + n) * DAY) for n in range(13)))
    context = assemble(world.rows, request("Hello"))
    assert [hit.item.text for hit in context.memory.hits] == [f"{n:02}" for n in range(12)]
    assert context.left_out == (LeftOut("durable", "durable-12", "over 12 items"),)


def test_the_report_is_bounded(world: World) -> None:
    learn(world, *(item(f"{n:02}", updated=NOW - (100 + n) * DAY) for n in range(20)))
    context = assemble(world.rows, request("Hello", limits=Limits(items=2)))
    assert context.left_out == (
        LeftOut("durable", "durable-02", "over 2 items"),
        LeftOut("durable", "durable-03", "over 2 items"),
        LeftOut("durable", "16 more items", "over the limits"),
    )


def test_the_items_fill_their_budget_to_the_last_character(world: World) -> None:
    learn(world, item("tea"), item("ale"))
    body = "- [fact] ale (src: manual, updated 2023-08-06)\n- [fact] tea (src: manual, updated 2023-08-06)"
    assert "\n".join(durable(world, request(limits=Limits(item_chars=len(body))))) == body
    assert durable(world, request(limits=Limits(item_chars=len(body) - 1))) == [body.split("\n")[0]]


def test_an_item_that_is_too_long_is_skipped_and_the_next_one_tried(world: World) -> None:
    learn(world, item("x" * 2000, item_id="long", updated=NOW), item("tea"))
    context = assemble(world.rows, request("Hello"))
    assert [hit.item.text for hit in context.memory.hits] == ["tea"]
    assert context.left_out == (LeftOut("durable", "long", "over 2000 characters"),)


@pytest.mark.parametrize("status", ["deprecated", "forgotten", "evicted", "merged"])
def test_only_active_items_are_shown(world: World, status: Status) -> None:
    learn(world, item("tea", status=status))
    assert durable(world, request("tea")) == []


@pytest.mark.parametrize(("until", "count"), [(END.said, 1), (END.said - 1, 0), (None, 1)])
def test_an_item_whose_time_is_over_is_not_shown(world: World, until: int | None, count: int) -> None:
    learn(world, item("tea", valid_until=until))
    assert len(durable(world, request("tea"))) == count


def test_the_window_helps_a_short_message_to_find_items(world: World) -> None:
    learn(world, item("green tea", item_id="b"), item("black coffee", item_id="a"))
    say(world, "Do we have green apples?", 1)
    assert [hit.item.id for hit in assemble(world.rows, request("and?")).memory.hits] == ["b", "a"]
    assert [hit.item.id for hit in assemble(world.rows, request("black hat")).memory.hits] == ["a", "b"]


def everywhere_and_nowhere(world: World) -> None:
    """An item in every compartment there is, of Dave, of Erin and of nobody; its text is its owner and compartment."""
    other = Ref("discord", "other")
    for name, person in (("dave", DAVE), ("erin", ERIN), ("nobody", NOBODY)):
        places = {
            "guild": in_guild(GUILD),
            "other guild": in_guild(other),
            "here": of_person_in(person, HERE),
            "other channel": of_person_in(person, other),
            "channel": in_channel(HERE),
            "direct": direct(person),
            "everywhere": everywhere(person),
            "owner": OWNER,
            "self": SELF,
        }
        learn(world, *(item(f"{name} {key}", owner=person, compartment=place) for key, place in places.items()))


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        (Setting(DAVE, IN_GUILD, GUILD), {"dave guild", "dave everywhere", "nobody guild", "nobody self"}),
        (
            Setting(DAVE, AUDIENCE, GUILD),
            {"dave guild", "dave here", "dave everywhere", "nobody guild", "nobody channel", "nobody self"},
        ),
        (Setting(DAVE, AUDIENCE), {"dave here", "dave everywhere", "nobody channel", "nobody self"}),
        (
            Setting(DAVE, Audience("direct", Ref("discord", f"dm:{DAVE.hex()}"))),
            {"dave direct", "dave everywhere", "dave guild", "dave other guild", "nobody self"},
        ),
        (Setting(handle("stranger"), IN_GUILD, GUILD), {"nobody guild", "nobody self"}),
    ],
)
def test_only_what_the_place_opens_is_shown(world: World, setting: Setting, expected: set[str]) -> None:
    everywhere_and_nowhere(world)
    asked = request("dave erin guild", setting=setting, limits=Limits(items=99, item_chars=99_999))
    assert texts(world, asked) == expected


def test_another_session_s_summary_is_not_shown(world: World) -> None:
    summarise(world, "Elsewhere.", session="discord:channel:other")
    summarise(world, "Under another audience.", audience=Audience("channel", HERE, 1))
    assert assemble(world.rows, request("Hello")).text == "User message:\nHello"


def test_what_is_remembered_is_what_the_prompt_would_hold(told: Told) -> None:
    memory = remembered(told.world.rows, told.request._replace(point=END, text="How far is the weather build?"))
    context = assemble(told.world.rows, told.request)
    assert memory == context.memory
    assert (memory.durable.chars, memory.summary.chars) == (context.sizes["durable"], context.sizes["summary"])


def test_what_is_remembered_without_a_question_goes_by_the_conversation(world: World) -> None:
    learn(world, item("Owns a CO2 sensor", item_id="z"), item("Likes tea", item_id="a"))
    say(world, "Which sensor is the best?", 1)
    assert [use.id for use in remembered(world.rows, request()).items] == ["z", "a"]


def test_where_nothing_is_remembered_the_blocks_are_empty(world: World) -> None:
    memory = remembered(world.rows, request())
    assert (memory.durable.body, memory.summary.body, memory.items) == ("", "", ())


CHANNEL, TOLD = Ref("discord", "42"), Ref("discord", "77")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (Source("discord", CHANNEL, TOLD), "discord:42/77"),
        (Source("model", CHANNEL, TOLD), "discord:42/77"),
        (Source("discord", Ref("discord", "dm:00ff"), TOLD), "discord:dm/77"),
        (Source("import", Ref("a b", "x, (updated)\n1"), Ref("p", "[7]")), "ab:xupdated1/7"),
        (Source("manual", CHANNEL, TOLD), "manual"),
        (Source("import", CHANNEL), "import"),
        (Source("model", None, TOLD), "model"),
    ],
)
def test_an_item_says_where_it_comes_from(source: Source, words: str) -> None:
    assert item_line(item("Tea.", source=source)) == f"- [fact] Tea. (src: {words}, updated 2023-08-06)"


def test_an_item_is_on_one_line_and_has_a_kind() -> None:
    assert item_line(item("a\n- [b]\u2028c", kind="[\n]")) == "- [fact] a - [b] c (src: manual, updated 2023-08-06)"


@pytest.mark.parametrize(
    ("milliseconds", "date"),
    [
        (0, "1970-01-01"),
        (-1, "1969-12-31"),
        (DAY - 1, "1970-01-01"),
        (DAY, "1970-01-02"),
        (1_770_595_200_000, "2026-02-09"),
        (253_402_300_799_999, "9999-12-31"),
        (253_402_300_800_000, "9999-12-31"),
        (-62_135_596_800_001, "0001-01-01"),
        (10**30, "9999-12-31"),
    ],
)
def test_dates_are_days_in_utc(milliseconds: int, date: str) -> None:
    assert utc_date(milliseconds) == date


DURABLE = re.compile(r"- \[([^\[\]\n]+)\] (.*) \(src: ([^\s,()]+), updated (\d{4}-\d\d-\d\d)\)")


def parsed(prompt: str) -> dict[str, list[list[str]]]:
    """Reads a prompt by the grammar in quoting.py: for each block its entries, each as its parts."""
    names = {title: name for name, title in TITLES.items()}
    blocks: dict[str, list[list[str]]] = {}
    for block in prompt.split(SEPARATOR):
        title, body = block.split("\n", 1)
        blocks[names[title]] = entries(names[title], body)
    return blocks


def entries(name: str, body: str) -> list[list[str]]:
    if name in {"summary", "message"}:
        return [opened(body)]
    found = re.split(rf"\n(?!{INDENT})", body)
    match name:
        case "files":
            return [[entry.removeprefix("- ")] for entry in found]
        case "durable":
            return [list(matched.groups()) for entry in found if (matched := DURABLE.fullmatch(entry))]
        case "recent" | "replied":
            return [
                [name.removeprefix("["), *unindented(text)] for name, text in (each.split("]: ", 1) for each in found)
            ]
        case _:
            return [[entry] for entry in found]


def spoken(text: str) -> bool:
    return bool(text.strip())


PAIRS = st.lists(st.tuples(TEXTS, TEXTS.filter(spoken)), max_size=4)
ROOM = Limits(items=99, item_chars=9999, history_messages=99, history_chars=9999, summary_chars=9999)


@settings(deadline=None)
@given(
    said=PAIRS,
    answers=st.lists(TEXTS.filter(spoken), max_size=2),
    items=PAIRS,
    summary=TEXTS,
    asked=TEXTS,
    path=st.text(CHARACTERS).filter(spoken),
)
def test_whatever_people_write_the_prompt_reads_back_as_what_was_put_in(
    said: list[tuple[str, str]],
    answers: list[str],
    items: list[tuple[str, str]],
    summary: str,
    asked: str,
    path: str,
) -> None:
    world = World()
    expected: dict[str, list[list[str]]] = {"files": [[one_line(path)]]}
    speak(world, said, answers)
    put(world, items, summary)
    context = assemble(world.rows, request(asked, limits=ROOM)._replace(files=(FileDigest(path, b""),), actions="Act."))
    if items:
        kinds = {(label(clean(kind)) or "fact", one_line(clean(text))) for kind, text in items}
        read = parsed(context.text)["durable"]
        assert len(read) == len(items)
        assert {(entry[0], entry[1]) for entry in read} == kinds
        expected["durable"] = read
    if spoken(clean(summary)):
        expected["summary"] = [shown(clean(summary))]
    if said or answers:
        lines = [[f"{line_name(clean(name))} (bot)", *shown(clean(text))] for name, text in said]
        expected["recent"] = lines + [["dnam", *shown(clean(text))] for text in answers]
    if spoken(asked):
        expected["message"] = [shown(asked)]
    expected["actions"] = [["Act."]]
    assert parsed(context.text) == expected
    assert list(parsed(context.text)) == list(expected)
    context.text.encode()


def clean(text: str) -> str:
    """The text as an event can hold it: events are UTF-8, so halves of surrogate pairs have been replaced before."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def speak(world: World, said: list[tuple[str, str]], answers: list[str]) -> None:
    for n, (name, text) in enumerate(said):
        hear(world, message(clean(text), n, author="bot", author_name=clean(name)))
    for n, text in enumerate(answers):
        answer(world, clean(text), 100 + n)


def put(world: World, items: list[tuple[str, str]], summary: str) -> None:
    learn(world, *(item(clean(text), item_id=str(n), kind=clean(kind)) for n, (kind, text) in enumerate(items)))
    summarise(world, clean(summary))


BUDGETS = ("items", "item_chars", "history_messages", "history_chars", "summary_chars")


@settings(deadline=None)
@given(
    items=st.lists(st.text(max_size=60), max_size=20),
    said=st.lists(st.text(max_size=60), max_size=20),
    summary=st.text(max_size=200),
    limits=st.tuples(*[st.integers(0, 300)] * len(BUDGETS)),
)
def test_no_budget_is_ever_exceeded(items: list[str], said: list[str], summary: str, limits: tuple[int, ...]) -> None:
    world = World()
    speak(world, [("x", text) for text in said], [])
    put(world, [("fact", text) for text in items], summary)
    allowed = msgspec.convert(dict(zip(BUDGETS, limits, strict=True)), Limits)
    context = assemble(world.rows, request("Hello", limits=allowed))
    assert len(context.items) <= allowed.items
    assert context.memory.durable.chars <= allowed.item_chars
    assert len(context.window.lines) <= allowed.history_messages
    assert context.sizes.get("recent", 0) <= allowed.history_chars
    assert len(_unquoted(context.memory.summary.body)) <= allowed.summary_chars


def test_a_huge_message_is_asked_whole(world: World) -> None:
    asked = say(world, "word " * 200_000, 1)
    context = assemble(world.rows, request(point=Point(NOW + 1, asked.id)))
    assert context.sizes["message"] == 1_000_000


def test_an_id_that_nothing_has_is_no_cause(world: World) -> None:
    summarise(world, "Known.")
    assert EventId(b"") not in assemble(world.rows, request("Hello")).causes
