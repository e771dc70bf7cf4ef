"""log, stats, settings."""

import json
import shutil
from pathlib import Path

import pytest

from dnam.memory import Memory
from dnam.settings import SETTINGS
from projections.decisions.draft import Decision, Minter
from projections.events import Event, MessageRedacted, PersonErased
from projections.events.values import OPERATOR
from replay.codec import Header, decode_header
from tests.dnam.cli.memories import ROOT, dnam, make
from tests.dnam.importers.files import KIM, LEE, export, message, write
from tests.world import NOW

LOG_FIELDS = "seq id tag version at at_iso said said_iso left vault body event"
STATS_FIELDS = "events tags people sessions items head root as_of"
SETTING_FIELDS = "name value default origin allowed help"
HEAD_FIELDS = "size at at_iso epoch"


def seqs(*arguments: str | Path) -> list[int]:
    return [each["seq"] for each in dnam("log", "--json", *arguments).values]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("log", "--after", "x"), "Invalid value for '--after': 'x' is not a whole number of 0 or more"),
        (("log", "--after", "-1"), "Invalid value for '--after': '-1' is not a whole number of 0 or more"),
        (("search", "tea", "--limit", "0"), "Invalid value for '--limit': '0' is not a whole number of 1 or more"),
    ],
)
def test_what_is_no_number_is_said_to_be_none(data: Path, asked: tuple[str, ...], said: str) -> None:
    ran = dnam(*asked, "--data", data)
    assert ran.code == 2
    assert said in ran.err


def test_log_is_a_line_an_event(data: Path) -> None:
    lines = dnam("log", "--data", data).out.splitlines()
    assert len(lines) == 25
    assert lines[5] == "#6  2023-11-14 22:13+00:00  2023-11-14 22:14+00:00  message.heard  Kim: I prefer tea"


def test_log_as_json_lines_has_the_whole_event(data: Path) -> None:
    events = dnam("log", "--json", "--data", data).values
    assert all(" ".join(each) == LOG_FIELDS for each in events)
    heard = events[5]
    assert heard["event"]["message"]["text"] == "I prefer tea"
    assert heard["event"]["by"]["kind"] == "person"
    assert len(heard["id"]) == 32
    assert (heard["said"], heard["said_iso"]) == (NOW + 60_000, "2023-11-14T22:14:20.000Z")


def test_log_by_tag_family_session_person_and_seq(data: Path) -> None:
    assert seqs("--tag", "item.forgotten", "--data", data) == [23]
    assert seqs("--tag", "item", "--data", data) == seqs("--tag", "item.*", "--data", data) == [20, 21, 22, 23]
    assert seqs("--session", "general", "--data", data) == [3, 4, 6, 24, 25]
    assert seqs("--user", "Ada", "--data", data) == [7, 9]
    assert seqs("--user", "Kim", "--tag", "turn", "--data", data) == [18, 19]
    assert seqs("--after", "23", "--data", data) == [24, 25]
    assert seqs("--after", "99", "--data", data) == []


def test_a_tag_is_not_mistaken_for_the_beginning_of_another(data: Path) -> None:
    ran = dnam("log", "--tag", "it", "--data", data)
    assert (ran.code, ran.out) == (2, "")
    assert "there is no tag 'it'; there are config.set" in ran.err


def test_dropped_and_erased_bodies_are_shown_as_such(data: Path) -> None:
    async def drop(memory: Memory) -> None:
        morning, gate = header(memory, 4), header(memory, 9)
        await memory.record(alone(memory, MessageRedacted(said=NOW, by=OPERATOR, events=(morning.id,))))
        erased = PersonErased(said=NOW, by=OPERATOR, vaults=(gate.vault,), hashes=(), until=NOW)
        await memory.record(alone(memory, erased))

    make(data, drop)
    ran = dnam("log", "--data", data)
    assert "#4  2023-11-14 22:13+00:00  message.heard  (redacted)" in ran.out
    assert "#9  2023-11-14 22:13+00:00  message.heard  (erased)" in ran.out
    bodies = {each["seq"]: (each["body"], each["event"]) for each in dnam("log", "--json", "--data", data).values}
    assert (bodies[4], bodies[9]) == (("redacted", None), ("erased", None))
    assert 4 not in seqs("--session", "general", "--data", data)


def header(memory: Memory, seq: int) -> Header:
    stored = memory.engine.store.log.get(seq)
    assert stored is not None
    return decode_header(stored.header)


def alone(memory: Memory, event: Event) -> Decision:
    """A decision that yields this event."""
    return lambda rows: [Minter(rows, memory.origin()).draft(event)]


def test_an_event_of_a_newer_program_is_listed_and_everything_is_as_of_the_decision_before(
    data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from replay import codec

    decoders = {key: value for key, value in codec._decoders.items() if key[0] != "summary.refreshed"}
    monkeypatch.setattr(codec, "_decoders", decoders)
    shutil.rmtree(data / "views")
    ran = dnam("log", "--after", "23", "--data", data)
    assert ran.code == 0
    assert ran.err.startswith("dnam: as of #23: the log holds a summary.refreshed of version 1")
    assert "summary.answered  model scripted" in ran.out  # of the same decision, so what is shown is as of before it
    assert "summary.refreshed  (unknown)" in ran.out


def test_stats(data: Path) -> None:
    value = dnam("stats", "--json", "--data", data).value
    assert " ".join(value) == STATS_FIELDS
    assert " ".join(value["head"]) == HEAD_FIELDS
    assert (value["events"], value["people"], value["sessions"]) == (25, 4, 5)
    assert sum(value["tags"].values()) == 25
    assert value["items"] == {
        "kind": {"fact": 3},
        "status": {"active": 2, "forgotten": 1},
        "compartment": {"direct": 2, "guild": 1},
    }
    lines = [line.split() for line in dnam("stats", "--data", data).out.splitlines()]
    assert ["message.heard", "6"] in lines
    assert ["root", value["root"]] in lines


def test_nothing_in_stats_changes_without_an_event(data: Path) -> None:
    before = dnam("stats", "--json", "--data", data).out
    assert dnam("replay", "--data", data).code == 0
    assert dnam("stats", "--json", "--data", data).out == before


def test_settings_with_where_they_come_from(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    Path(".env").write_text("DNAM_ASSISTANT_NAME=Iris\n", encoding="utf-8")
    shown = dnam("settings", "--json").values
    assert all(" ".join(each) == SETTING_FIELDS for each in shown)
    assert [each["name"] for each in shown] == [setting.name for setting in SETTINGS]
    by_name = {each["name"]: each for each in shown}
    assert (by_name["DNAM_ASSISTANT_NAME"]["value"], by_name["DNAM_ASSISTANT_NAME"]["origin"]) == (
        "Iris",
        ".env DNAM_ASSISTANT_NAME",
    )
    out = dnam("settings").out
    assert "sk-secret" not in out + json.dumps(shown)
    assert "environment ANTHROPIC_API_KEY" in out


@pytest.mark.parametrize("arguments", [("settings", "--data", "there"), ("--data", "there", "settings")])
def test_settings_show_the_folder_that_is_in_force(monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]) -> None:
    monkeypatch.setenv("DNAM_DATA", "elsewhere")
    shown = {each["name"]: each for each in dnam(*arguments, "--json").values}
    assert (shown["DNAM_DATA"]["value"], shown["DNAM_DATA"]["origin"]) == ("there", "--data")
    shown = {each["name"]: each for each in dnam("settings", "--json").values}
    assert (shown["DNAM_DATA"]["value"], shown["DNAM_DATA"]["origin"]) == ("elsewhere", "environment DNAM_DATA")


def test_a_mention_is_told_with_the_name_of_today(tmp_path: Path) -> None:
    said = message(2, "hello @Kim I love chess", author=LEE, mentions=[KIM])
    given = write(tmp_path / "talk.json", export(message(1), said))
    assert dnam("import", "--audience", "guild", "--no-learn", given, "--data", tmp_path / "d").code == 0
    last = dnam("log", "--tag", "message.heard", "--data", tmp_path / "d").out.splitlines()[-1]
    assert last.endswith(": hello @kim I love chess")


def test_what_was_learned_in_a_session_is_of_it(tmp_path: Path) -> None:
    sample = ROOT / "data" / "samples" / "garden-club.json"
    assert dnam("import", "--audience", "guild", "--assistant", "dnam", sample, "--data", tmp_path / "d").code == 0
    assert dnam("remember", "Tobi", "likes tea", "--data", tmp_path / "d").code == 0
    of_session, of_all = (
        dnam("log", "--tag", "item", *session, "--json", "--data", tmp_path / "d").values
        for session in (("--session", "plot-talk"), ())
    )
    assert (len(of_session), len(of_all)) == (10, 11)
    assert dnam("log", "--tag", "extraction", "--session", "plot-talk", "--data", tmp_path / "d").out != ""


@pytest.mark.parametrize("asked", [("--after", "25"), ("--tag", "import"), ("--user", "Ada", "--tag", "turn")])
def test_where_no_event_is_of_what_was_asked_for_that_is_said(
    data: Path, tmp_path: Path, asked: tuple[str, ...]
) -> None:
    for form in ((), ("--json",)):
        told = dnam("log", *asked, *form, "--data", data)
        assert told == (0, "", "dnam: no event is of what was asked for\n")
    assert dnam("log", "--data", tmp_path / "none").err.count("\n") == 1
