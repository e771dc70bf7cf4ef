"""people, sessions, show, summary: what they say, in which fields, and that they change nothing."""

from pathlib import Path

import pytest
from freezegun import freeze_time

from tests.dnam.cli.memories import SUMMARY, bytes_of, dnam, garden, make
from tests.world import NOW

LOOKS: tuple[tuple[str, ...], ...] = (
    ("people",),
    ("sessions",),
    ("show", "Kim"),
    ("show", "Kim", "--all"),
    ("summary", "general"),
    ("search", "tea", "--explain"),
    ("prompt", "Kim", "which tea?", "--explain"),
    ("prompt", "Kim", "which tea?", "--in", "general"),
    ("log",),
    ("stats",),
    ("settings",),
    ("replay", "--check"),
    ("verify", "--open"),
)
PERSON_FIELDS = "person name opted_out accounts names messages items last_said last_said_iso"
SESSION_FIELDS = (
    "key session name kind place guild audience epoch messages closed turns summarised last_said last_said_iso"
)
ITEM_FIELDS = (
    "id owner compartment kind text created updated source status type about tags confidence evidence source_count "
    "supersedes valid_from valid_until hits last_hit kept where created_iso updated_iso seq event tag by reason policy"
)
SUMMARY_FIELDS = "key session text said said_iso era refresh covered model seq event"


@pytest.mark.parametrize("arguments", LOOKS, ids=" ".join)
@pytest.mark.parametrize("options", [(), ("--json",)], ids=["people", "json"])
def test_looking_changes_no_byte_on_disk(data: Path, arguments: tuple[str, ...], options: tuple[str, ...]) -> None:
    before = bytes_of(data)
    ran = dnam(*arguments, *options, "--data", data)
    assert (ran.code, ran.out != "") == (0, True)
    assert bytes_of(data) == before


LISTS = [each for each in LOOKS if each[0] not in ("replay", "verify", "show", "summary", "prompt")]


@pytest.mark.parametrize("arguments", LISTS, ids=" ".join)
def test_a_folder_without_a_log_is_an_empty_answer_and_stays_as_it_is(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    folder = tmp_path / "nothing"
    ran = dnam(*arguments, "--data", folder)
    assert ran.code == 0
    assert "Kim" not in ran.out
    assert ("nothing remembered here yet" in ran.err) == (arguments != ("settings",))
    assert not folder.exists()


NAMING: tuple[tuple[str, ...], ...] = (
    ("show", "Jon"),
    ("show", "Jon", "--at", "yesterday"),
    ("prompt", "Jon", "hi"),
    ("audit", "Jon"),
    ("why-not", "Jon", "durable-1"),
    ("why", "durable-1"),
    ("used", "durable-1"),
    ("summary", "attic"),
    ("search", "tea", "--user", "Jon"),
    ("search", "tea", "--by", "Jon"),
    ("search", "tea", "--in", "attic"),
    ("search", "tea", "--from", "attic"),
    ("log", "--user", "Jon"),
    ("log", "--session", "attic"),
    ("lore", "--guild", "G"),
    ("export", "Jon"),
    ("remember", "Jon", "tea"),
    ("remember", "--guild", "G", "tea"),
    ("edit", "Jon", "durable-1", "tea"),
    ("forget", "Jon", "tea"),
    ("restore", "Jon", "durable-1"),
    ("share", "Jon", "durable-1"),
    ("erase", "Jon", "--yes"),
    ("erase", "--guild", "G", "--yes"),
    ("opt-in", "Jon"),
    ("learn", "--user", "Jon"),
    ("learn", "--session", "attic"),
    ("revert", "--caused-by", "1", "--user", "Jon"),
)


@pytest.mark.parametrize("arguments", NAMING, ids=" ".join)
def test_who_and_what_is_named_is_unknown_also_in_a_folder_without_a_log(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    ran = dnam(*arguments, "--data", tmp_path / "nothing")
    assert (ran.code, ran.out) == (2, "")
    assert any(f"{name!r}" in ran.err for name in arguments)
    assert not (tmp_path / "nothing").exists()


@freeze_time("2023-11-15 22:13:20")
def test_people_lists_what_user_may_be(data: Path) -> None:
    assert dnam("people", "--data", data).out.splitlines() == [
        "name  also      ids          messages  items  last said",
        "Ada             discord:200  1         0      2023-11-14 22:15+00:00, 23 hours ago",
        "Kim   Kimberly  discord:100  3         2      2023-11-14 22:23+00:00, 23 hours ago",
        "Sam             discord:300  1         0      2023-11-14 22:16+00:00, 23 hours ago",
        "Sam             discord:400  1         0      2023-11-14 22:17+00:00, 23 hours ago",
    ]


def test_people_as_json_lines(data: Path) -> None:
    people = dnam("people", "--json", "--data", data).values
    assert all(" ".join(each) == PERSON_FIELDS for each in people)
    kim = next(each for each in people if each["name"] == "Kim")
    assert kim["accounts"] == [{"platform": "discord", "platform_id": "100", "name": "Kim"}]
    assert [each["name"] for each in kim["names"]] == ["Kimberly", "Kim"]
    assert (kim["last_said"], kim["last_said_iso"]) == (NOW + 600_000, "2023-11-14T22:23:20.000Z")


def test_who_opted_out_is_marked(tmp_path: Path) -> None:
    data = tmp_path / "data"
    make(data, garden)
    dnam("opt-out", "Kim", "--data", data, "--yes")
    assert [line[:15] for line in dnam("people", "--data", data).out.splitlines()[1:3]] == [
        "Ada            ", "Kim (opted out)",
    ]  # fmt: skip
    people = dnam("people", "--json", "--data", data).values
    assert [each["name"] for each in people if each["opted_out"]] == ["Kim"]
    said = "Kim (discord:100), opted out: nothing of theirs is recorded"
    assert dnam("show", "Kim", "--data", data).out.splitlines()[0] == said
    assert dnam("show", "Kim", "--data", data, "--json").value["opted_out"] is True
    dnam("opt-in", "Kim", "--data", data)
    assert "opted out" not in dnam("people", "--data", data).out + dnam("show", "Kim", "--data", data).out
    assert dnam("show", "Kim", "--data", data, "--json").value["opted_out"] is False


def test_sessions_lists_what_session_and_place_may_be(data: Path) -> None:
    out = dnam("sessions", "--data", data).out
    assert [line.split()[0] for line in out.splitlines()] == [
        "session",
        "discord:channel:1",
        "discord:channel:2",
        "discord:channel:5",
        "discord:channel:6",
        "discord:dm:100",
    ]
    assert "everybody in the guild" in out


def test_sessions_as_json_lines(data: Path) -> None:
    sessions = dnam("sessions", "--json", "--data", data).values
    assert all(" ".join(each) == SESSION_FIELDS for each in sessions)
    general = sessions[0]
    assert general["place"] == {"platform": "discord", "key": "1"}
    assert general["guild"] == {"platform": "discord", "key": "9"}
    assert (general["messages"], general["turns"], general["summarised"]) == (2, 0, True)
    assert (sessions[-1]["turns"], sessions[-1]["audience"]) == (1, "direct")


@pytest.mark.parametrize("user", ["Kim", "kim", "@Kim", "100", "discord:100", "Kimberly"])
def test_show_groups_the_active_items_by_where_they_hold(data: Path, user: str) -> None:
    out = dnam("show", user, "--data", data).out
    assert out.startswith("Kim (discord:100)\nPeople (2)\nin guild Garden:\n")
    assert "\nCommunity (0)\n" in out
    assert out.index("in guild Garden:") < out.index("builds the bridge project") < out.index("in direct messages:")
    assert out.index("in direct messages:") < out.index("prefers tea over coffee")
    assert "hates rain" not in out
    assert "summary of discord:channel:1" in out
    assert "  Kim brings the pot.\n" in out


def test_show_by_handle(data: Path) -> None:
    handle = dnam("show", "Kim", "--json", "--data", data).value["person"]
    assert dnam("show", handle, "--data", data).out.startswith("Kim")


def test_show_all_says_what_became_of_the_others_and_by_whom(data: Path) -> None:
    out = dnam("show", "Kim", "--all", "--data", data).out
    (line,) = [line for line in out.splitlines() if "hates rain" in line]
    assert "forgotten  asked by the person (Kim)" in line


def test_show_as_json(data: Path) -> None:
    shown = dnam("show", "Kim", "--all", "--json", "--data", data).value
    assert list(shown) == [
        "person", "name", "opted_out", "items", "community", "owner_private", "counts", "summaries", "held", "as_of",
    ]  # fmt: skip
    assert (shown["counts"], shown["community"], shown["owner_private"]) == ({"People": 3, "Community": 0}, [], [])
    assert all(" ".join(each) == ITEM_FIELDS for each in shown["items"])
    assert all(" ".join(each) == SUMMARY_FIELDS for each in shown["summaries"])
    assert {each["text"]: (each["where"], each["status"]) for each in shown["items"]} == {
        "builds the bridge project": ("in guild Garden", "active"),
        "hates rain": ("in direct messages", "forgotten"),
        "prefers tea over coffee": ("in direct messages", "active"),
    }


def test_show_of_somebody_of_whom_nothing_is_remembered(data: Path) -> None:
    ran = dnam("show", "Ada", "--data", data)
    assert (ran.code, ran.out) == (0, "Ada (discord:200)\n")
    assert "nothing is remembered of Ada" in ran.err


@pytest.mark.parametrize("session", ["general", "#general", "discord:channel:1", "GENERAL"])
def test_summary_is_the_text_and_nothing_else(data: Path, session: str) -> None:
    assert dnam("summary", session, "--data", data) == (0, SUMMARY + "\n", "")


def test_summary_as_json(data: Path) -> None:
    value = dnam("summary", "general", "--json", "--data", data).value
    assert " ".join(value) == f"{SUMMARY_FIELDS} as_of"
    assert (value["text"], value["key"], value["covered"]) == (SUMMARY, "discord:channel:1", 2)


def test_a_session_without_a_summary_is_an_empty_answer(data: Path) -> None:
    ran = dnam("summary", "staff", "--data", data)
    assert (ran.code, ran.out, ran.err) == (0, "", "dnam: there is no summary of staff yet\n")
    assert dnam("summary", "staff", "--json", "--data", data).out == "null\n"


UNKNOWN: tuple[tuple[tuple[str, ...], str], ...] = (
    (("show", "Bob"), "nobody here goes by 'Bob'"),
    (("show", ""), "nobody here goes by ''"),
    (("prompt", "Bob", "hi"), "nobody here goes by 'Bob'"),
    (("prompt", "Kim", "hi", "--in", "nowhere"), "there is no session 'nowhere'"),
    (("prompt", "Ada", "hi", "--in", "discord:dm:100"), "discord:dm:100 is a conversation with Kim"),
    (("summary", "nowhere"), "there is no session 'nowhere'"),
    (("log", "--user", "Bob"), "nobody here goes by 'Bob'"),
    (("log", "--session", "nowhere"), "there is no session 'nowhere'"),
    (("log", "--tag", "nothing"), "there is no tag 'nothing'"),
    (("show", "\x1b[2J\r\n"), r"nobody here goes by '\x1b[2J\r\n'"),
    (("show", "K\udce9m"), "nobody here goes by 'K�m'"),
)


@pytest.mark.parametrize(("arguments", "said"), UNKNOWN, ids=range(len(UNKNOWN)))
def test_an_unknown_name_is_named_and_the_code_is_2(data: Path, arguments: tuple[str, ...], said: str) -> None:
    ran = dnam(*arguments, "--data", data)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"dnam: {said}")
    assert ran.err.count("\n") == 1


def test_an_ambiguous_person_lists_the_candidates(data: Path) -> None:
    ran = dnam("show", "Sam", "--data", data)
    assert ran.code == 2
    assert ran.err.startswith("dnam: 'Sam' may be any of:\n")
    assert {"discord:300", "discord:400"} <= set(ran.err.split())


def test_an_ambiguous_session_lists_the_candidates(data: Path) -> None:
    ran = dnam("summary", "talk", "--data", data)
    assert ran.code == 2
    assert {"discord:channel:5", "discord:channel:6"} <= set(ran.err.split())


def test_a_huge_name_is_refused_in_a_short_message(data: Path) -> None:
    ran = dnam("show", "x" * 1_000_000, "--data", data)
    assert ran.code == 2
    assert len(ran.err) < 1_200
