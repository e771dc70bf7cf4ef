"""search: where it looks, what it finds, how it tells why, and that it changes nothing."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from dnam.contexts import everywhere, in_place
from dnam.hits import FIELDS
from dnam.marking import MOST_CHARS
from dnam.memory import Memory
from projections.decisions.place import PlaceSeen
from projections.events.values import Audience
from projections.ids import Ref
from projections.lookup import find_sessions
from projections.policies.compartments import Setting
from projections.recall.fields import WEIGHTS
from projections.times import DAY_MS
from tests.dnam.cli.memories import GARDEN, GENERAL, STAFF, dnam, garden, make
from tests.world import NOW

GREEN = "I drink green tea in the mornings"


async def teas(memory: Memory) -> None:
    """Tea is spoken of in an open channel, in a closed one, and in direct messages; there is something known of it."""
    talk = (
        ("100", "Kim", GENERAL, GREEN),
        ("200", "Ada", GENERAL, "coffee for me\nor nothing"),
        ("200", "Ada", STAFF, "we are out of tea"),
        ("200", "Ada", None, "I secretly hate tea"),
    )
    for number, (user, name, place, text) in enumerate(talk):
        said = NOW + number * 90_000_000
        await memory.heard(user, text, name=name, platform="discord", place=place, key=f"{number}", said=said)
    kim, ada = [await memory.person(each, platform="discord") for each in ("100", "200")]
    await memory.remember(
        kim, "prefers green tea", setting=Setting(kim, Audience("guild", Ref("discord", "1")), GARDEN)
    )
    await memory.remember(ada, "hates tea", setting=Setting(ada, Audience("channel", Ref("discord", "2")), GARDEN))
    await memory.remember(kim, "keeps a teapot for tea under the bed")


@pytest.fixture(scope="module")
def teapot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("teas") / "data"
    make(folder, teas)
    return folder


def found(teapot: Path, *arguments: str) -> tuple[set[str], set[str]]:
    """The texts of the items and of what was said."""
    value = dnam("search", *arguments, "--json", "--data", teapot).value
    return {each["text"] for each in value["items"]}, {each["text"] for each in value["said"]}


OPEN, STAFFS, DMS = GREEN, "we are out of tea", "I secretly hate tea"
LIKES, HATES, KEEPS = "prefers green tea", "hates tea", "keeps a teapot for tea under the bed"


@pytest.mark.parametrize(
    ("arguments", "items", "said"),
    [
        ((), {LIKES, HATES, KEEPS}, {OPEN, STAFFS, DMS}),
        (("--in", "general"), {LIKES}, {OPEN}),
        (("--in", "staff"), {LIKES, HATES}, {OPEN, STAFFS}),
        (("--user", "Kim"), {LIKES, KEEPS}, set()),
        (("--user", "Ada"), set(), {DMS}),
        (("--user", "Ada", "--in", "staff"), {HATES}, {OPEN, STAFFS}),
        (("--user", "Ada", "--in", "general"), {LIKES}, {OPEN}),
        (("--user", "Ada", "--in", "dm"), set(), {DMS}),
        (("--by", "Ada"), set(), {STAFFS, DMS}),
        (("--by", "Ada", "--in", "staff"), set(), {STAFFS}),
        (("--from", "staff"), set(), {STAFFS}),
        (("--from", "staff", "--in", "general"), set(), set()),
    ],
    ids=lambda of: " ".join(of) if isinstance(of, tuple) else "",  # sets have no order
)
def test_it_sees_what_is_open_where_it_looks(
    teapot: Path, arguments: tuple[str, ...], items: set[str], said: set[str]
) -> None:
    assert found(teapot, "tea", *arguments) == (items, said)


def test_of_the_people_in_the_room_it_finds_what_a_prompt_there_tells(teapot: Path) -> None:
    """Of Kim, who spoke in general, Ada is told what all could hear there; where Kim did not speak, nothing."""
    for place in ("general", "staff", "dm"):
        blocks = dnam("prompt", "Ada", "green tea?", "--in", place, "--json", "--data", teapot).value["blocks"]
        room = [line["text"] for block in blocks if block["name"] == "room" for line in block["lines"]]
        assert len(room) == (place == "general")
        items, _ = found(teapot, "green tea", "--user", "Ada", "--in", place)
        assert [LIKES in each for each in room] == [True] * (LIKES in items)


def test_a_conversation_of_two_is_a_place_too(teapot: Path) -> None:
    sessions = dnam("sessions", "--json", "--data", teapot).values
    direct = next(each["key"] for each in sessions if each["audience"] == "direct")
    assert found(teapot, "tea", "--in", direct) == (set(), {DMS})


def test_for_people(teapot: Path) -> None:
    assert dnam("search", "teas", "--in", "staff", "--limit", "1", "--data", teapot).out.splitlines() == [
        "known:",
        "hit  score  updated                 where             of   text",
        "i1   0.2    2023-11-14 22:13+00:00  in channel staff  Ada  hates tea",
        "said:",
        "hit  score  said                    where  by   text",
        "s1   1.9    2023-11-17 00:13+00:00  staff  Ada  we are out of tea",
    ]


def test_it_tells_why(teapot: Path) -> None:
    out = dnam("search", "tea", "--in", "staff", "--explain", "--data", teapot).out.splitlines()
    why = [line.split() for line in out[out.index("why:") + 1 :]]
    assert why[0] == ["hit", "points", "field", "word", "for"]
    assert {(hit, field) for hit, _, field, *_ in why[1:]} == {
        ("i1", "words"), ("i2", "words"),
        *((hit, field) for hit in ("s1", "s2") for field in ("turn", "near", "around", "day", "first")),
    }  # fmt: skip
    assert {line.split(None, 4)[4] for line in out if " near " in line} == {"said in it or within two messages of it"}
    assert out[-1] == "s2   0.1     day     tea   said there on that day"


def test_every_field_that_there_may_be_is_put_in_words() -> None:
    beside = {"fact", "near fact", "meaning", "fact meaning", "near meaning"}
    assert WEIGHTS.keys() | beside <= FIELDS.keys()
    assert {"date", "dated", "speaker", "own", "tells when", "names", "first", "asks"} <= FIELDS.keys()


def test_for_programs(teapot: Path) -> None:
    value = dnam("search", "green tea", "--user", "Kim", "--in", "general", "--json", "--data", teapot).value
    assert " ".join(value) == "text contexts items said as_of"
    (context,) = value["contexts"]
    assert (context["session"], context["audience"]) == ("discord:channel:1", "guild")
    (item,) = value["items"]
    assert " ".join(item) == ("id owner compartment where kind text updated updated_iso seq event score reasons")
    (said,) = value["said"]
    assert " ".join(said) == "id event seq tag session where speaker name said said_iso text link score reasons"
    assert (said["tag"], said["where"], said["name"], said["text"]) == ("message", "general", "Kim", GREEN)
    assert said["link"] == "https://discord.com/channels/9/1/0"
    assert abs(said["score"] - sum(each["points"] for each in said["reasons"])) < 0.01
    assert {each["word"] for each in said["reasons"]} == {"", "green", "tea"}
    assert value["as_of"] is None


def test_an_answer_is_found_under_the_assistant_s_name(data: Path) -> None:
    value = dnam("search", "green", "--json", "--data", data).value
    (said,) = [each for each in value["said"] if each["tag"] == "turn"]
    assert (said["name"], said["where"], said["text"], said["speaker"]) == ("dnam", "dm", "Green tea.", "")


async def a_thread(memory: Memory) -> None:
    """Somebody asks in a thread, and is answered there."""
    thread = PlaceSeen("discord", "70", "thread", "", "guild", guild=GARDEN, parent=Ref("discord", "1"))
    heard = await memory.heard("100", "which tea?", name="Kim", platform="discord", place=thread, key="8", said=NOW)
    turn = await memory.answered(heard, await memory.context(heard), "Green tea.")
    await memory.delivered(heard, turn, [Ref("discord", "81"), Ref("discord", "82")])
    heard = await memory.heard("100", "and now?", name="Kim", platform="discord", place=thread, key="9", said=NOW + 1)
    await memory.answered(heard, await memory.context(heard), "Mint tea.")


def test_a_thread_goes_by_its_channel_and_an_answer_opens_at_its_first_message(tmp_path: Path) -> None:
    make(tmp_path / "data", garden, a_thread)
    value = dnam("search", "tea", "--from", "70", "--json", "--data", tmp_path / "data").value
    links = {each["text"]: each["link"] for each in value["said"]}
    at = "https://discord.com/channels/9/70/"
    assert links == {"which tea?": f"{at}8", "Green tea.": f"{at}81", "Mint tea.": None}
    assert {each["where"] for each in value["said"]} == {"a thread in general"}


def test_what_stands_beside_a_hit_is_listed_when_asked_for(teapot: Path) -> None:
    async def reply(memory: Memory) -> None:
        said = NOW + 1000
        await memory.heard("200", "me too", name="Ada", platform="discord", place=GENERAL, key="x", said=said)

    folder = teapot.parent / "beside"
    make(folder, teas, reply)
    assert found(folder, "green", "--in", "general")[1] == {GREEN}
    assert found(folder, "green", "--in", "general", "--all")[1] == {GREEN, "me too"}


def test_only_so_many_are_listed(teapot: Path) -> None:
    items, said = found(teapot, "tea", "--limit", "2")
    assert (len(items), len(said)) == (2, 2)
    assert dnam("search", "tea", "--limit", "0", "--data", teapot).code == 2


def test_then_is_searched_as_it_was_then(teapot: Path) -> None:
    log = dnam("log", "--tag", "message.heard", "--json", "--data", teapot).values
    first = min(each["seq"] for each in log)
    ran = dnam("search", "tea", "--at", str(first), "--json", "--data", teapot)
    assert ([each["text"] for each in ran.value["said"]], ran.value["items"]) == ([GREEN], [])
    assert ran.value["as_of"]["seq"] == first
    assert "as recorded up to" in ran.err
    said = dnam("search", "tea", "--said", "2023-11-15 00:00", "--json", "--data", teapot).value
    assert [each["text"] for each in said["said"]] == [GREEN]


def test_a_place_that_there_was_not_yet_is_said_so(teapot: Path) -> None:
    first = min(each["seq"] for each in dnam("log", "--tag", "message.heard", "--json", "--data", teapot).values)
    ran = dnam("search", "tea", "--in", "staff", "--at", str(first), "--data", teapot)
    assert (ran.code, ran.out) == (0, "")
    assert "there was no such place by then" in ran.err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("zebra",), 0, "nothing that is open there has one of these words"),
        (("zebra", "--by", "Kim"), 0, "nothing of what is looked for with --by or --from"),
        (("?!",), 2, "say what to look for: at least one word, number or emoji"),
        (("tea", "--user", "Zoe"), 2, "nobody here goes by 'Zoe'"),
        (("tea", "--by", "Zoe"), 2, "nobody here goes by 'Zoe'"),
        (("tea", "--in", "attic"), 2, "there is no session 'attic'"),
        (("tea", "--in", "dm"), 2, "`dm` is somebody's direct messages: say whose"),
        (("tea", "--from", "attic"), 2, "there is no session 'attic'"),
        (("tea", "--at", "soon"), 2, "'soon' is no moment"),
    ],
    ids=str,
)
def test_what_finds_nothing_says_why(teapot: Path, arguments: tuple[str, ...], code: int, words: str) -> None:
    ran = dnam("search", *arguments, "--data", teapot)
    assert (ran.code, ran.out) == (code, "")
    assert words in ran.err


def test_nothing_to_look_for_is_wrong_use_with_or_without_a_log(tmp_path: Path) -> None:
    ran = dnam("search", "", "--data", tmp_path / "no")
    assert (ran.code, ran.out) == (2, "")
    assert "say what to look for" in ran.err


def test_a_folder_without_a_log_is_an_empty_answer(tmp_path: Path) -> None:
    ran = dnam("search", "tea", "--json", "--data", tmp_path / "no")
    assert (ran.code, ran.value["items"], ran.value["said"]) == (0, [], [])
    assert "nothing remembered here yet" in ran.err


@pytest.mark.parametrize("columns", ["200", "40"])
def test_words_are_highlighted_on_a_terminal(teapot: Path, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    from dnam.cli.searching import search

    written: list[str] = []

    def write(text: str) -> int:
        written.append(text)
        return len(text)

    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys.stdout, "write", write)
    search("teas", place="general", data=str(teapot))
    drawn = "".join(written)
    assert "\x1b[1;33mtea\x1b[0m" in drawn
    assert "\x1b[1;33mgreen" not in drawn


def test_a_guild_is_looked_at_once_and_every_person_once(teapot: Path) -> None:
    contexts: list[object] = []

    def looking(question: Callable[..., object]) -> None:
        async def look(memory: Memory) -> None:
            contexts.append(await memory.look(question))

        make(teapot, look)

    looking(lambda rows: everywhere(rows, ()))
    (found_in,) = contexts
    assert isinstance(found_in, list)
    told = [each.setting for each in found_in if each.said]
    assert sorted(each.audience.kind for each in told) == ["channel", "direct", "guild"]
    assert len({each.setting.person for each in found_in if not each.said}) == 2
    looking(lambda rows: in_place(rows, find_sessions(rows, "general")[0].place))
    here = contexts[1]
    assert isinstance(here, list)
    assert [each.said for each in here] == [True, False, False]


def test_a_hit_is_told_on_one_line_and_cut_around_the_word_and_json_has_all_of_it(tmp_path: Path) -> None:
    long = f"{'so it goes, ' * 40}\n\nthe harp\n{'and on, ' * 40}"

    async def said(memory: Memory) -> None:
        await memory.heard("200", long, name="Ada", platform="discord", place=GENERAL, key="1", said=NOW)

    make(tmp_path / "data", said)
    ran = dnam("search", "harp", "--data", tmp_path / "data")
    assert "\ufffd" not in ran.out
    (line,) = (each for each in ran.out.splitlines() if each.startswith("s1"))
    text = line.partition("Ada  ")[2]
    assert text.startswith("…")
    assert " the harp and on, " in text
    assert text.endswith("…")
    assert MOST_CHARS <= len(text) <= MOST_CHARS + 2
    assert dnam("search", "harp", "--json", "--data", tmp_path / "data").value["said"][0]["text"] == long


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "nobody had said anything by then"),
        (("--in", "general"), "there was no such place by then"),
        (("--user", "Kim"), "nothing that is open there has one of these words"),
    ],
)
def test_before_anything_was_said_no_place_is_missed_that_was_not_named(
    teapot: Path, arguments: tuple[str, ...], told: str
) -> None:
    ran = dnam("search", "tea", *arguments, "--said", "2001-01-01", "--data", teapot)
    assert (ran.code, ran.out) == (0, "")
    assert told in ran.err


def test_what_is_worth_less_than_nothing_is_listed_last_and_shows_no_such_number(tmp_path: Path) -> None:
    """A question whose only word stands in all that was said gives away more than that is worth."""

    async def talk(memory: Memory) -> None:
        for number in range(60):
            await memory.heard("kim", f"tea {number}")
        await memory.heard("kim", "tea?")

    make(tmp_path / "data", talk)
    asked = ("search", "tea", "--limit", "100", "--data", tmp_path / "data")
    last = dnam(*asked, "--json").value["said"][-1]
    assert (last["text"], last["score"] < 0) == ("tea?", True)
    rows = [line.split() for line in dnam(*asked).out.splitlines() if line.startswith("s") and line != "said:"]
    assert rows[-1][:2] == ["s61", "0.0"]
    assert not any(row[1].startswith("-") for row in rows)


async def _two_kims(memory: Memory) -> None:
    for number, user in enumerate(("100", "101")):
        await memory.heard(user, f"tea {number}", name="Kim", platform="discord", place=GENERAL, key=f"{number}")


def test_namesakes_are_told_apart_by_what_a_command_takes(tmp_path: Path) -> None:
    data = tmp_path / "data"
    make(data, _two_kims)
    said = dnam("search", "tea", "--json", "--data", data).value["said"]
    names = {each["text"]: each["name"] for each in said}
    assert sorted(names.values()) in (["Kim", "Kim (discord:100)"], ["Kim", "Kim (discord:101)"])
    (marked,) = [name for name in names.values() if name != "Kim"]
    again = dnam("search", "tea", "--by", marked, "--json", "--data", data).value["said"]
    assert [each["text"] for each in again] == [text for text, name in names.items() if name == marked]
    refused = dnam("show", "Kim (2)", "--data", data)
    assert refused.code == 2
    assert "discord:100" in refused.err
    assert "discord:101" in refused.err


DATED = ("I drink tea", "coffee in November", "my exam is on 20 December", "my bike is broken", "I lost my bike")


async def _days(memory: Memory) -> None:
    """One thing a day from 14 November 2023 on, by Kim and Ada in turn."""
    for day, text in enumerate(DATED):
        user, name = (("100", "Kim"), ("200", "Ada"))[day % 2]
        said = NOW + day * DAY_MS
        await memory.heard(user, text, name=name, platform="discord", place=GENERAL, key=f"{day}", said=said)


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("days") / "data"
    make(folder, _days)
    return folder


@pytest.mark.parametrize(
    ("asked", "texts", "note"),
    [
        ("what was said on 15 November 2023", {"coffee in November"}, ""),
        ("what was said on 30 November 2023", set(), "was said on the day that is named\n"),
        ("tea on 30 November 2023", {"I drink tea"}, "on the day that is named: what is listed was said on others"),
        ("20 December", {"my exam is on 20 December"}, "on the day that is named: what is listed was said on others"),
        ("coffee in November", {"coffee in November"}, ""),
    ],
)
def test_of_a_day_on_which_nothing_was_said_that_is_told(days: Path, asked: str, texts: set[str], note: str) -> None:
    assert found(days, asked)[1] == texts
    assert note in dnam("search", asked, "--data", days).err
    assert ("on the day that is named" in dnam("search", asked, "--data", days).err) is bool(note)


NOT_KIM = "nothing of what is looked for with --by or --from that is open there was said on the day that is named"


@pytest.mark.parametrize(
    ("asked", "texts", "note"),
    [
        ("15 November 2023", set(), NOT_KIM),
        ("tea on 15 November 2023", {"I drink tea"}, f"{NOT_KIM}: what is listed was said on others"),
        ("16 November 2023", {"my exam is on 20 December"}, ""),
    ],
)
def test_what_somebody_else_said_on_a_day_is_not_what_they_said(
    days: Path, asked: str, texts: set[str], note: str
) -> None:
    assert found(days, asked, "--by", "Kim")[1] == texts
    assert dnam("search", asked, "--by", "Kim", "--data", days).err == (f"dnam: {note}\n" if note else "")


def test_a_limit_may_be_as_great_as_anybody_likes(days: Path) -> None:
    for limit in (1 << 62, 1 << 63, 10**30):
        assert found(days, "bike", "--limit", str(limit))[1] == {"my bike is broken", "I lost my bike"}


@pytest.mark.parametrize(("user", "best"), [("100", "I lost my bike"), ("200", "my bike is broken")])
def test_who_asks_is_meant_by_i(days: Path, user: str, best: str) -> None:
    def listed(*more: str) -> list[str]:
        asked = dnam("search", *more, "--user", user, "--in", "general", "--json", "--data", days).value
        return [each["text"] for each in asked["said"]]

    assert listed("what did I say of a bike")[0] == best
    assert listed("the bike of Kim")[0] == "I lost my bike"
    assert set(listed("my bike", "--by", "Ada")) == {"my bike is broken"}
