"""remember, edit, forget, restore: by the operator, with the replies that people know."""

import re
from pathlib import Path
from typing import Literal
from unicodedata import normalize

import pytest

from dnam.cli.changing import WORDS_STAY
from tests.dnam.cli.memories import ROOT, bytes_of, dnam, make
from tests.dnam.scripted import FakeClock

TEA = "durable-704a7957"
RAIN = "durable-04b7e47d"
Form = Literal["NFC", "NFD"]
FORMS: tuple[Form, ...] = ("NFC", "NFD")
ITEM_FIELDS = (
    "id owner compartment kind text created updated source status type about tags confidence evidence source_count "
    "supersedes valid_from valid_until hits last_hit kept"
)


def texts(data: Path, user: str = "Kim") -> list[str]:
    return sorted(each["text"] for each in dnam("show", user, "--json", "--data", data).value["items"])


def test_remember_keeps_it_in_their_direct_messages_by_the_operator(data: Path) -> None:
    assert dnam("remember", "Kim", "plays  the\nharp", "--data", data) == (0, "Remembered: plays the harp\n", "")
    items = dnam("show", "Kim", "--json", "--data", data).value["items"]
    (harp,) = [each for each in items if each["text"] == "plays the harp"]
    assert (harp["by"]["kind"], harp["where"], harp["source"]["type"]) == ("operator", "in direct messages", "manual")


def test_with_memory_off_it_is_kept_and_said_to_be_of_no_use(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNAM_MEMORY_ENABLED", "0")
    off = "dnam: memory is switched off (DNAM_MEMORY_ENABLED=0): no answer uses what is kept\n"
    assert dnam("remember", "Kim", "plays the harp", "--data", data) == (0, "Remembered: plays the harp\n", off)


def test_remember_in_a_place(data: Path) -> None:
    assert dnam("remember", "Kim", "plays the harp", "--in", "staff", "--data", data).code == 0
    items = dnam("show", "Kim", "--json", "--data", data).value["items"]
    assert [each["where"] for each in items if each["text"] == "plays the harp"] == ["in channel staff"]


def test_remember_for_somebody_unknown_needs_new(data: Path) -> None:
    before = bytes_of(data)
    ran = dnam("remember", "Bo", "plays the harp", "--data", data)
    assert (ran.code, ran.out) == (2, "")
    assert "nobody here goes by 'Bo'" in ran.err
    assert "--new" in ran.err
    assert bytes_of(data).keys() == before.keys()
    assert dnam("remember", "@Bo", "plays the harp", "--new", "--data", data).code == 0
    assert texts(data, "@Bo") == texts(data, "local:Bo") == ["plays the harp"]


def test_new_begins_a_memory_where_there_is_none(tmp_path: Path) -> None:
    folder = tmp_path / "fresh"
    assert dnam("remember", "Bo", "plays the harp", "--data", folder).code == 2
    assert not folder.exists()
    assert dnam("remember", "Bo", "plays the harp", "--new", "--data", folder).code == 0
    assert texts(folder, "Bo") == ["plays the harp"]


NOT_KEPT = [("...",), ("my password is hunter2",), ("   ",), ("plays the harp", "--in", "nowhere")]


@pytest.mark.parametrize("words", NOT_KEPT)
def test_what_is_refused_meets_nobody(data: Path, words: tuple[str, ...]) -> None:
    before = dnam("log", "--json", "--data", data).out
    ran = dnam("remember", "--new", "Nobody", *words, "--data", data)
    assert (ran.code, ran.out) == (2, "")
    assert "Nobody" not in dnam("people", "--data", data).out
    assert dnam("log", "--json", "--data", data).out == before


@pytest.mark.parametrize("words", NOT_KEPT)
def test_what_is_refused_begins_no_memory(tmp_path: Path, words: tuple[str, ...]) -> None:
    folder = tmp_path / "fresh"
    ran = dnam("remember", "--new", "Nobody", *words, "--data", folder)
    assert (ran.code, ran.out) == (2, "")
    assert not folder.exists()
    assert dnam("remember", "--new", "Bo", "plays the harp", "--in", "dm", "--data", folder).code == 0


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "there is none"),
        ("  ", "there is none"),
        ("x" * 33, "this one has 33"),
        ("two\nlines", "U+000A cannot stand in one"),
        ("a]b", "']' (U+005D RIGHT SQUARE BRACKET) cannot stand in one"),
        ("\x1b[2J", "U+001B cannot stand in one"),
        ("x" * 100_000, "this one has 100000"),
        ("local:evil", "':' (U+003A COLON) cannot stand in one"),
        ("discord:123", "':' (U+003A COLON) cannot stand in one"),
        ("ev\u200fil", "U+200F RIGHT-TO-LEFT MARK cannot stand in one"),
        ("Zo\udceb", "there are bytes in it that are no UTF-8, or U+FFFD, which stands for such"),
        ("a  b", "of this one nothing shows, or there are spaces in a row"),
    ],
)
def test_a_new_name_has_to_be_one_and_what_is_refused_is_named(tmp_path: Path, name: str, why: str) -> None:
    ran = dnam("remember", name, "plays the harp", "--new", "--data", tmp_path / "fresh")
    told = f"dnam: a new name is 1 to 32 characters on one line, without colons and brackets: {why}\n"
    assert (ran.code, ran.err) == (2, told)
    assert not (tmp_path / "fresh").exists()


@pytest.mark.parametrize("form", FORMS)
def test_a_name_is_the_same_however_its_letters_are_composed(data: Path, form: Form) -> None:
    zoe = {each: normalize(each, "Zo\u00eb") for each in FORMS}
    assert dnam("remember", zoe[form], "plays the harp", "--new", "--data", data).code == 0
    for name in (*zoe.values(), *(f"local:{each}" for each in zoe.values())):
        assert texts(data, name) == ["plays the harp"]
    for name in zoe.values():
        again = dnam("remember", name, "has a dog", "--new", "--data", data)
        assert (again.code, "already: leave --new out" in again.err) == (2, True)
    assert [each["name"] for each in dnam("people", "--json", "--data", data).values].count(zoe["NFC"]) == 1


def test_edit_keeps_the_id(data: Path) -> None:
    ran = dnam("edit", "Kim", TEA, "prefers green tea", "--data", data)
    assert ran == (0, "Changed: prefers green tea\n", "")
    items = dnam("show", "Kim", "--json", "--data", data).value["items"]
    assert {each["id"]: each["text"] for each in items}[TEA] == "prefers green tea"
    assert dnam("edit", "Kim", TEA, "prefers green tea", "--data", data).out == "It says so already.\n"


def test_an_edited_item_is_cited_as_typed_and_the_audit_tells_where_it_was_learned(tmp_path: Path) -> None:
    data = ("--data", tmp_path / "d")
    sample = ROOT / "data" / "samples" / "garden-club.json"
    assert dnam("import", "--audience", "guild", "--assistant", "dnam", sample, *data).code == 0
    item = next(each for each in dnam("show", "Tobi", "--json", *data).value["items"] if each["kind"] == "project")
    prompt = ("prompt", "Tobi", "cold frame?", "--in", "plot-talk", *data)
    assert re.search(r"cold frame out of old windows\. \(src: discord:\d+/\d+, ", dnam(*prompt).out)
    assert dnam("edit", "Tobi", item["id"], "builds a cold frame of glass", *data).code == 0
    assert "- [project] builds a cold frame of glass (src: manual, updated " in dnam(*prompt).out
    assert "builds a cold frame of glass" in dnam("show", "Tobi", *data).out
    told = dnam("audit", "Tobi", *data).out
    assert "changed by the operator" in told
    assert '"I\'m building a cold frame out of old windows. My project for this month."' in told


@pytest.mark.parametrize("what", ["prefers tea over", "PREFERS TEA OVER COFFEE", TEA, f" {TEA} "])
def test_forget_by_most_of_the_words_or_by_id_and_restore(data: Path, what: str) -> None:
    ran = dnam("forget", "Kim", what, "--data", data)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "Forgot 1 item(s).",
        "  prefers tea over coffee",
        f"    dnam restore Kim {TEA} --data {data}",
        WORDS_STAY,
    ]
    assert texts(data) == ["builds the bridge project"]
    assert dnam("restore", "Kim", TEA, "--data", data) == (0, "Restored: prefers tea over coffee\n", "")
    assert texts(data) == ["builds the bridge project", "prefers tea over coffee"]
    assert dnam("restore", "Kim", TEA, "--data", data).out == "It is there already.\n"


@pytest.mark.parametrize("what", ["tea", "durable-0000000", "x" * 1_000_000, "\x00", RAIN])
def test_what_matches_nothing_is_no_failure(data: Path, what: str) -> None:
    why = (
        "No matching items found. It takes an id, or words as they stand there, at least 60 % of all: "
        f"`dnam show Kim --data {data}` lists what there is."
    )
    why += f"\nDid you mean:\n  prefers tea over coffee ({TEA})" if what == "tea" else ""
    assert dnam("forget", "Kim", what, "--data", data) == (0, f"{why}\n", "")
    assert dnam("forget", "Kim", what, "--json", "--data", data).value == {"done": None, "why": why, "items": []}


def test_forget_in_a_place_leaves_the_others(data: Path) -> None:
    assert dnam("forget", "Kim", "prefers tea over coffee", "--in", "general", "--data", data).out.startswith(
        "No match"
    )
    assert dnam("forget", "Kim", "builds the bridge", "--in", "general", "--data", data).out.startswith("Forgot 1")


REFUSED: tuple[tuple[tuple[str, ...], str], ...] = (
    (("remember", "Kim", ""), "there is nothing to remember"),
    (("remember", "Kim", " \n "), "there is nothing to remember"),
    (("remember", "Kim", "x" * 100_000), "that is 100,000 characters"),
    (("remember", "Sam", "x"), "'Sam' may be any of"),
    (("remember", "Kim", "x", "--in", "nowhere"), "there is no session 'nowhere'"),
    (("edit", "Kim", "durable-00000000", "rain"), "there is no item 'durable-00000000'"),
    (("edit", "Kim", "durable-00000000", ""), "there is no item 'durable-00000000'"),
    (("edit", "Kim", RAIN, "rows"), f"the item {RAIN} is forgotten"),
    (("edit", "Bob", TEA, "x"), "nobody here goes by 'Bob'"),
    (("forget", "Kim", " "), "say what to forget"),
    (("forget", "Kim", "durable-00000000"), "there is no item 'durable-00000000' here: `show` lists the ids"),
    (("forget", "Kim", f"{TEA}0000", "--in", "general"), f"there is no item '{TEA}0000'"),
    (("forget", "Bob", "x"), "nobody here goes by 'Bob'"),
    (("restore", "Kim", "durable-00000000"), "there is no item 'durable-00000000'"),
    (("restore", "Sam", TEA), "'Sam' may be any of"),
)


@pytest.mark.parametrize(("arguments", "said"), REFUSED, ids=range(len(REFUSED)))
def test_what_cannot_be_done_as_asked_changes_nothing(data: Path, arguments: tuple[str, ...], said: str) -> None:
    before = dnam("stats", "--json", "--data", data).out
    ran = dnam(*arguments, "--data", data)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"dnam: {said}")
    assert dnam("stats", "--json", "--data", data).out == before


def test_a_text_with_control_characters_and_halves_of_pairs_can_be_kept_and_shown(data: Path) -> None:
    assert dnam("remember", "Kim", "a\x1b[2Jb \udce9 \x00c", "--data", data).out == "Remembered: a�[2Jb � �c\n"
    assert "\x1b" not in dnam("show", "Kim", "--data", data).out


@pytest.mark.parametrize(
    ("arguments", "done"),
    [
        (("remember", "Kim", "plays the harp"), "remembered"),
        (("edit", "Kim", TEA, "prefers green tea"), "edited"),
        (("forget", "Kim", TEA), "forgotten"),
        (("restore", "Kim", RAIN), "restored"),
    ],
)
def test_json(data: Path, arguments: tuple[str, ...], done: str) -> None:
    value = dnam(*arguments, "--json", "--data", data).value
    assert list(value) == ["done", "items"]
    assert value["done"] == done
    assert [" ".join(each) for each in value["items"]] == [ITEM_FIELDS]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("edit", "Kim", TEA, "prefers tea over coffee"), "It says so already."),
        (("restore", "Kim", TEA), "It is there already."),
    ],
)
def test_json_says_that_nothing_was_changed_and_why(data: Path, arguments: tuple[str, ...], why: str) -> None:
    before = dnam("stats", "--json", "--data", data).out
    assert dnam(*arguments, "--json", "--data", data).value == {"done": None, "why": why, "items": []}
    assert dnam(*arguments, "--data", data).out == f"{why}\n"
    assert dnam("stats", "--json", "--data", data).out == before


def test_restoring_says_what_made_room(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNAM_DURABLE_MAX_ITEMS", "2")
    out = dnam("restore", "Kim", RAIN, "--data", data).out
    assert out.startswith("Restored: hates rain\nMade room for it: durable-")


def test_an_item_in_two_places_is_told_apart_by_the_place(tmp_path: Path) -> None:
    from tests.dnam.cli.memories import garden

    data = tmp_path / "two"
    make(data, garden)
    dnam("remember", "Kim", "plays the harp", "--data", data)
    dnam("remember", "Kim", "plays the harp", "--in", "staff", "--data", data)
    items = dnam("show", "Kim", "--json", "--data", data).value["items"]
    (harp,) = {each["id"] for each in items if each["text"] == "plays the harp"}
    ran = dnam("edit", "Kim", harp, "plays the lute", "--data", data)
    assert ran.code == 2
    assert "several items" in ran.err
    assert dnam("edit", "Kim", harp, "plays the lute", "--in", "staff", "--data", data).code == 0


def test_a_clock_that_jumped_is_no_traceback(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from replay import engine

    class Jumping(FakeClock):
        def now(self) -> int:
            self.time += 10_000_000
            return self.time

        def monotonic(self) -> int:
            return 0

    monkeypatch.setattr(engine, "SystemClock", Jumping)
    ran = dnam("remember", "Kim", "plays the harp", "--data", data)
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith("dnam: the clock went")


def test_somebody_new_is_nobody_who_is_known(data: Path) -> None:
    ran = dnam("remember", "--new", "Kim", "likes tea", "--data", data)
    assert (ran.code, ran.err) == (
        2,
        "dnam: there is a 'Kim' already: leave --new out to mean them, or give another name\n",
    )


def test_what_was_forgotten_in_two_places_comes_back_by_the_hints(data: Path) -> None:
    for place in ("dm", "staff"):
        assert dnam("remember", "Kim", "prefers quiet corners", "--in", place, "--data", data).code == 0
    told = dnam("forget", "Kim", "prefers quiet corners", "--data", data).out
    hints = [line.split()[1:] for line in told.splitlines() if "dnam restore" in line]
    assert sorted(hint[-3] for hint in hints) == ["2", "dm"]
    for hint in hints:
        ran = dnam(*hint)
        assert (ran.code, "prefers quiet corners" in ran.out) == (0, True)


def test_nothing_is_kept_for_who_opted_out(data: Path) -> None:
    assert dnam("opt-out", "Kim", "--data", data).code == 0
    before = texts(data)
    for words in (("remember", "Kim", "plays the harp"), ("edit", "Kim", TEA, "likes coffee")):
        ran = dnam(*words, "--data", data)
        assert (ran.code, ran.err) == (
            2,
            "dnam: they opted out: nothing of theirs is recorded, unless they opt in again\n",
        )
    assert texts(data) == before
    assert dnam("forget", "Kim", TEA, "--data", data).code == 0
