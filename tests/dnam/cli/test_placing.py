"""share, keep-private, lore, why-not and notice; remember and forget for what is nobody's."""

from pathlib import Path

import pytest

from tests.dnam.cli.memories import bytes_of, dnam

LORE = "The guild raids on Fridays"


def kept(data: Path, *where: str) -> str:
    """The id of what Kim is made to have."""
    assert dnam("remember", "Kim", "plays the harp", *where, "--data", data).code == 0
    items = dnam("show", "Kim", "--json", "--data", data).value["items"]
    return next(str(each["id"]) for each in items if each["text"] == "plays the harp")


def where(data: Path, item: str) -> str:
    items = dnam("show", "Kim", "--json", "--data", data).value["items"]
    return next(str(each["where"]) for each in items if each["id"] == item)


def test_share_and_keep_private_move_it_and_say_where_it_is_told(data: Path) -> None:
    item = kept(data)
    ran = dnam("share", "Kim", item, "--data", data)
    assert ran == (0, f"Told wherever its person is answered from now on: plays the harp ({item})\n", "")
    assert where(data, item) == "everywhere"
    assert dnam("share", "Kim", item, "--data", data).out == "It is told wherever its person is answered already.\n"
    again = dnam("share", "Kim", item, "--json", "--data", data).value
    assert again == {"done": None, "why": "It is told wherever its person is answered already.", "items": []}
    value = dnam("keep-private", "Kim", item, "--json", "--data", data).value
    assert (value["done"], [each["id"] for each in value["items"]]) == ("kept private", [item])
    assert where(data, item) == "in direct messages"


def test_what_has_its_id_there_and_says_something_else_is_kept_and_that_is_said(data: Path) -> None:
    item = kept(data)
    assert dnam("share", "Kim", item, "--data", data).code == 0
    assert dnam("edit", "Kim", item, "plays the lyre", "--data", data).code == 0
    assert kept(data) == item
    ran = dnam("share", "Kim", item, "--data", data)
    told, why = ran.out.splitlines()
    assert why == f"What has the id {item} there says something else: this has one of its own, and both are kept."
    shown = {each["text"]: each["id"] for each in dnam("show", "Kim", "--json", "--data", data).value["items"]}
    assert (shown["plays the lyre"], shown["plays the harp"][: len(item)]) == (item, item)
    assert told == f"Told wherever its person is answered from now on: plays the harp ({shown['plays the harp']})"
    audited = dnam("audit", "Kim", "--item", item, "--data", data).out
    assert ("plays the lyre" in audited, "plays the harp" in audited) == (True, True)


def test_share_looks_where_it_is_told_to(data: Path) -> None:
    item = kept(data, "--in", "staff")
    missing = dnam("share", "Kim", item, "--in", "dm", "--data", data)
    assert (missing.code, missing.out) == (2, "")
    assert f"there is no item '{item}' here" in missing.err
    assert dnam("share", "Kim", item, "--in", "staff", "--data", data).code == 0
    assert dnam("share", "Kim", "durable-none", "--data", data).code == 2


def test_what_is_nobody_s_is_kept_listed_and_taken_back(data: Path) -> None:
    for option in (("--guild", "discord:9"), ("--owner",), ("--self",)):
        assert dnam("lore", *option, "--data", data) == (0, "", "dnam: there is nothing there yet\n")
        ran = dnam("remember", *option, LORE, "--data", data)
        assert (ran.code, ran.out[:39]) == (0, f"Remembered: {LORE} ")
        listed = dnam("lore", *option, "--json", "--data", data).value
        assert [(each["text"], each["owner"]) for each in listed["items"]] == [(LORE, "")]
        assert LORE in dnam("lore", *option, "--data", data).out
        gone = dnam("forget", *option, listed["items"][0]["id"], "--data", data)
        assert gone.out.startswith(f"Forgot 1 item(s).\n  {LORE} (durable-")
        nothing = dnam("forget", *option, "The guild raids on", "--data", data)
        assert nothing.out.startswith("No matching items found. It takes an id, or words as they stand there")
        assert nothing.out.endswith(f": `dnam lore {' '.join(option)} --data {data}` lists what there is.\n")
        listing = dnam("forget", *option, "The guild raids on", "--json", "--data", data).value
        assert (listing["done"], listing["items"]) == (None, [])
        assert dnam("lore", *option, "--data", data).out == ""
        kept = dnam("lore", *option, "--all", "--data", data).out
        assert [word in kept for word in (LORE, "forgotten")] == [True, True]
        hint = gone.out.splitlines()[-1].split()
        assert hint[:2] == ["dnam", "restore"]
        back = dnam(*hint[1:], "--json", "--data", data).value
        assert (back["done"], [each["text"] for each in back["items"]]) == ("restored", [LORE])
        assert LORE in dnam("lore", *option, "--data", data).out
        assert dnam(*hint[1:], "--data", data).out == "It is there already.\n"
        again = dnam(*hint[1:], "--json", "--data", data).value
        assert again == {"done": None, "why": "It is there already.", "items": []}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("remember", "Kim"), "say whom and what"),
        (("forget", "Kim"), "say whom and what"),
        (("remember",), "say whom and what"),
        (("forget",), "say whom and what"),
        (("restore",), "say whose and which"),
        (("remember", "--self"), "say what is to be kept: its text"),
        (("forget", "--guild", "9"), "say what is to be forgotten: its id or its text"),
        (("restore", "--owner"), "say what is to come back: its id"),
        (("remember", "Kim", "x is y", "--self"), "give its text alone"),
        (("remember", "x is y", "--self", "--new"), "give its text alone"),
        (("remember", "x is y", "--owner", "--in", "dm"), "give its text alone"),
        (("remember", "x is y", "--owner", "--self"), "say which: --guild GUILD, --owner or --self"),
        (("forget", "Kim", "x", "--self"), "give its id or its text alone"),
        (("forget", "x", "--self", "--in", "dm"), "give its id or its text alone"),
        (("restore", "Kim"), "say whose and which"),
        (("restore", "Kim", "durable-none", "--self"), "give its id alone"),
        (("restore", "durable-none", "--self", "--in", "dm"), "give its id alone"),
        (("restore", "durable-none", "--owner", "--self"), "say which: --guild GUILD, --owner or --self"),
        (("restore", "durable-none", "--guild", "discord:9"), "there is no item 'durable-none'"),
        (("forget", "durable-00000000", "--guild", "discord:9"), "there is no item 'durable-00000000' here"),
        (("lore",), "say which: --guild GUILD, --owner or --self"),
        (("lore", "--guild", "Nowhere"), "dnam knows no guild 'Nowhere'"),
        (("why-not", "Kim", "durable-none"), "has no item 'durable-none', nor is it lore"),
        (("why-not", "Bo", "durable-none"), "nobody here goes by 'Bo'"),
    ],
)
def test_what_cannot_be_meant_is_said_and_changes_nothing(data: Path, arguments: tuple[str, ...], problem: str) -> None:
    before = bytes_of(data)
    ran = dnam(*arguments, "--data", data)
    assert (ran.code, ran.out) == (2, "")
    assert problem in ran.err
    assert bytes_of(data).keys() == before.keys()


@pytest.mark.parametrize(
    ("place", "asked", "words"),
    [
        ((), "general", "not told in general: it lives in direct messages, and this place does not open that"),
        ((), "dm", "open in dm: whether it is told there is a matter of the words"),
        (("--in", "staff"), "general", "not told in general: it lives in channel staff"),
        (("--in", "staff"), "staff", "open in staff"),
        (("--in", "general"), "dm", "open in dm"),
    ],
)
def test_why_not_says_where_it_lives_and_what_would_open_that(
    data: Path, place: tuple[str, ...], asked: str, words: str
) -> None:
    item = kept(data, *place)
    before = bytes_of(data)
    ran = dnam("why-not", "Kim", item, "--in", asked, "--data", data)
    assert ran.code == 0
    assert ran.out.startswith(f"{item}  plays the harp\n  lives ")
    assert words in ran.out
    assert ("dnam share Kim" in ran.out) is ("not told" in ran.out)
    assert bytes_of(data) == before


def test_why_not_knows_what_opens_each_compartment(data: Path) -> None:
    harp = kept(data, "--in", "staff")
    (found,) = dnam("why-not", "Kim", harp, "--json", "--data", data).value
    assert found["item"] == harp
    assert (found["status"], found["where"], found["open"], found["do"]) == (
        "active",
        "in channel staff",
        False,
        "share",
    )
    assert found["compartment"].endswith("/channel/discord:2")
    assert found["reasons"] == [
        "it lives in channel staff, and is told here only while Kim can read that, which the bot asks each time"
    ]
    assert found["opened_by"] == [
        "staff, when Kim is answered there",
        "Kim's own direct messages, while Kim can read staff",
    ]
    opened = {
        "--self": "every place",
        "--owner": "the owner's own direct messages",
        "--guild=discord:9": "any channel of",
    }
    for option, words in opened.items():
        item = dnam("remember", option, LORE, "--json", "--data", data).value["items"][0]["id"]
        found = dnam("why-not", "Kim", item, "--data", data).out
        assert words in found
        dnam("forget", option, item, "--data", data)
    dnam("share", "Kim", harp, "--data", data)
    assert "opened by any place where Kim is answered" in dnam("why-not", "Kim", harp, "--data", data).out
    dnam("forget", "Kim", harp, "--data", data)
    gone = dnam("why-not", "Kim", harp, "--data", data).out
    assert "it is forgotten" in gone
    assert f"to change that: dnam restore Kim {harp} --data {data}" in gone


def test_an_empty_list_is_no_failure(tmp_path: Path) -> None:
    assert dnam("lore", "--self", "--data", tmp_path / "none").code == 0


def test_notice_says_what_is_in_force(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = bytes_of(data)
    assert "Nothing is sent to a model's provider: the model in use" in dnam("notice", "--data", data).out
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-1")
    text = dnam("notice", "--data", data).out
    assert (
        "dnam notes facts about people, from what is said to it, and from what it answers; at most 200 of each." in text
    )
    assert "messages and notes are sent to the provider of haiku, sonnet." in text
    assert "does not answer has `/memory opt-out`, `opt-in`, `export` and `erase`, which nobody else sees." in text
    assert "Until it is taken back: no time limit is set." in text
    assert bytes_of(data) == before
    assert dnam("config", "set", "guild/discord:9", "learn=heard", "--data", data).code == 0
    assert dnam("config", "set", "person/Kim", "learn=none", "--data", data).code == 0
    assert dnam("config", "set", "guild/discord:9", "retention_days=30", "--yes", "--data", data).code == 0
    for name, value in {
        "LEARN": "none", "RETENTION_DAYS": "90", "ASSISTANT_NAME": "Nib", "MEMORY_CHANNEL_ID": "77",
    }.items():  # fmt: skip
        monkeypatch.setenv(f"DNAM_{name}", value)
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    text = dnam("notice", "--data", data).out
    assert "Nib notes nothing about anybody, but where it says so below." in text
    assert "it learns from everything that it hears" in text
    assert "Kim" not in text
    assert "For 90 days." in text
    assert ": 30 days." in text
    assert "Nothing is sent to a model's provider" in text
    assert "A transparency channel shows" in text
    monkeypatch.setenv("VOYAGE_API_KEY", "pa-1")
    text = dnam("notice", "--data", data).out
    assert "messages, notes and questions are sent to the provider of voyage-3.5-lite." in text
    assert "Nothing is sent" not in text
    monkeypatch.delenv("VOYAGE_API_KEY")
    titles = [each["title"] for each in dnam("notice", "--json", "--data", data).value]
    assert titles == [
        "What is recorded", "What is learned", "Who sees it", "Where it goes", "How long it is kept", "What you can do",
    ]  # fmt: skip
    monkeypatch.setenv("DNAM_DURABLE_MEMORY_ENABLED", "0")
    assert "Nib notes nothing about anybody: that is switched off." in dnam("notice", "--data", data).out
