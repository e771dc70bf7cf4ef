"""`import` and `learn` as they are typed: counts, questions, broken files, two at once, Ctrl-C."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from itertools import cycle
from pathlib import Path

import pytest

from dnam.cli import bringing
from dnam.cli.progress import Progress
from dnam.cli.screen import Screen
from dnam.importers.detect import detect
from dnam.model import Ask, Resting
from dnam.signals import TOLD_TO_END
from projections.lookup import people
from projections.messages import MESSAGES
from projections.policies.item_ids import derive
from projections.registry import FOLD
from replay.builder import check
from replay.engine import Engine
from replay.store import DiskStore
from tests.dnam.cli.memories import Ran, dnam, ended, process
from tests.dnam.importers.files import BOT, LEE, T0, export, iso, message, sample, turn, user, write
from tests.dnam.importers.test_discoclaw import item, store
from tests.dnam.scripted import ScriptedModel, down
from tests.hanging import HANGS
from tests.kills.victims import export as exported

SAMPLE = Path(__file__).parents[3] / "data" / "samples" / "garden-club.json"
DAY = "1:00 pm on 8 May, 2023"
TALKS = [
    sample(key, "John", other, (DAY, [turn(1, 1, "John"), turn(1, 2, other)]))
    for key, other in (("c0", "Gina"), ("c1", "Max"))
]
"""Two conversations, in which two people have one name."""
CHANGED = {"edits", "narrowed"}
SKIPPED = {"skipped", "skipped_at", "changed", "changed_at", "files", "left_out"}
MANY = 600
"""Messages that an import brings in by several commits."""


def heard(data: Path) -> int:
    """How many messages the log holds, each counted once by its id."""
    with Engine.open(data, writable=False) as engine:
        records = [engine.live.folding.record(stored) for stored in engine.store.log.read(0)]
    ids = [record.id for record in records if record is not None and record.event.TAG == "message.heard"]
    assert len(ids) == len(set(ids))
    return len(ids)


def test_an_import_says_what_it_did_and_learned(tmp_path: Path) -> None:
    ran = dnam("import", "--audience", "guild", "--assistant", "dnam", SAMPLE, "--data", tmp_path / "d")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Imported 41 messages.\nLearned: ")
    again = dnam("import", "--audience", "guild", "--assistant", "dnam", SAMPLE, "--data", tmp_path / "d")
    assert again.out == "Imported nothing new; 41 known already.\n"


def test_json_has_stable_names(tmp_path: Path) -> None:
    ran = dnam("import", "--json", "--audience", "guild", SAMPLE, "--data", tmp_path / "d")
    printed = json.loads(ran.out)
    assert set(printed) == {"imported", "learned"}
    assert set(printed["imported"]) == {"read", "messages", "items", "summaries", *CHANGED, "known", "events", *SKIPPED}
    assert set(printed["learned"]) == {"extractions", "summaries", "events", "errors", "unmerged", "put_off", "left"}
    assert json.loads(dnam("learn", "--json", "--data", tmp_path / "d").out)["events"] == 0


def test_learning_can_wait(tmp_path: Path) -> None:
    data = tmp_path / "d"
    assert dnam("import", "--no-learn", "--audience", "guild", SAMPLE, "--data", data).out == "Imported 41 messages.\n"
    assert dnam("learn", "--user", "Tobi", "--data", data).out.endswith("summaries refreshed 0 times.\n")
    assert "summaries refreshed 8 times" in dnam("learn", "--session", "plot-talk", "--data", data).out
    assert dnam("learn", "--data", data).out.startswith("Learned: ")
    assert dnam("learn", "--data", data).out == "Nothing to learn: everything has been read.\n"
    assert dnam("learn", "--user", "nobody", "--data", data).code == 2
    assert dnam("learn", "--session", "nowhere", "--data", data).code == 2


def test_what_nobody_said_counts_as_restricted(tmp_path: Path) -> None:
    ran = dnam("import", "--no-learn", SAMPLE, "--data", tmp_path / "d")
    assert ran.code == 0
    assert "count as restricted" in ran.err
    (session,) = [json.loads(line) for line in dnam("sessions", "--json", "--data", tmp_path / "d").out.splitlines()]
    assert "channel" in json.dumps(session)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--audience", "everyone"), "guild, channel, dm"),
        (("--same-person", "kim"), "A=B"),
        (("--same-person", " =kim"), "A=B"),
        (("--same-person", "kim= kim"), "A=B"),
        (("--audience", "dm"), "--audience channel"),
    ],
)
def test_wrong_words_are_refused_and_nothing_is_written(tmp_path: Path, options: tuple[str, ...], words: str) -> None:
    ran = dnam("import", *options, SAMPLE, "--data", tmp_path / "d")
    assert ran.code == 2
    assert words in ran.err
    assert not (tmp_path / "d").exists()


def test_a_broken_file_keeps_what_came_before_and_says_where(tmp_path: Path) -> None:
    text = SAMPLE.read_text(encoding="utf-8")
    cut = tmp_path / "cut.json"
    cut.write_text(text[: len(text) // 2], encoding="utf-8")
    ran = dnam("import", "--audience", "guild", cut, "--data", tmp_path / "d")
    assert ran.code == 3
    assert "cut.json" in ran.err
    assert "imported" in ran.err
    before = heard(tmp_path / "d")
    assert before > 0
    whole = dnam("import", "--no-learn", "--audience", "guild", SAMPLE, "--data", tmp_path / "d")
    assert whole.out == f"Imported {41 - before} messages; {before} known already.\n"


def test_a_person_who_is_nobody_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    options = ("--audience", "guild", "--no-learn", "--same-person", "Tobi=Ghost")
    ran = dnam("import", *options, SAMPLE, "--data", tmp_path / "d")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "dnam: --same-person: 'Ghost' is nobody, neither here nor in what is brought in\n"
    assert not (tmp_path / "d").exists()


@pytest.mark.parametrize("option", ["--no-learn", "--dry-run"])
def test_a_name_of_several_people_is_refused_with_the_ids_to_choose_from(tmp_path: Path, option: str) -> None:
    talks = tmp_path / "talks.json"
    talks.write_text(json.dumps(TALKS))
    command = ("import", talks, "--audience", "guild", option, "--data", tmp_path / "d", "--same-person")
    ran = dnam(*command, "John=Gina")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "dnam: --same-person: 'John' fits 2 people: give one of locomo:c0/John, locomo:c1/John\n"
    assert not (tmp_path / "d").exists()
    assert dnam(*command, "c1/John=Gina").code == 0
    assert dnam(*command, "locomo:c1/John=Gina").code == 0


def test_a_name_that_somebody_else_has_here_already_is_refused(tmp_path: Path) -> None:
    talks = [tmp_path / "one.json", tmp_path / "two.json"]
    for path, value in zip(talks, TALKS, strict=True):
        path.write_text(json.dumps([value]))
    command = ("--audience", "guild", "--no-learn", "--data", tmp_path / "d")
    assert dnam("import", talks[0], *command, "--same-person", "John=Gina").code == 0
    assert dnam("import", talks[0], *command, "--same-person", "John=Gina").out.startswith("Imported nothing new")
    ran = dnam("import", talks[1], *command, "--same-person", "John=Max")
    assert ran.code == 2
    assert "give one of locomo:c0/Gina or locomo:c0/John, locomo:c1/John" in ran.err


def test_an_assistant_who_wrote_nothing_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    options = ("import", "--audience", "guild", "--no-learn", SAMPLE, "--data", tmp_path / "d", "--assistant")
    ran = dnam(*options, "dnaam")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("dnam: --assistant: nobody called 'dnaam' wrote anything here. Those who did: ")
    assert "dnam (" in ran.err
    assert not (tmp_path / "d").exists()
    assert dnam(*options, "dnam").out == "Imported 41 messages.\n"


@pytest.mark.parametrize("option", [("--assistant", "dnam"), ("--same-person", "Tobi=Ghost")])
def test_a_name_that_may_be_in_what_is_cut_off_is_refused_as_the_cut_file(
    tmp_path: Path, option: tuple[str, str]
) -> None:
    cut = tmp_path / "cut.json"
    cut.write_bytes(SAMPLE.read_bytes()[:3000])
    command = ("import", cut, "--audience", "guild", *option, "--data", tmp_path / "d")
    rehearsed, ran = dnam(*command, "--dry-run"), dnam(*command)
    assert (ran.code, ran.out) == (3, "")
    assert "cut.json breaks off after message 3, " in ran.err
    assert rehearsed.code == 3
    assert ran.err in rehearsed.err
    assert not (tmp_path / "d").exists()


SEVERAL = "; where it had several, each with an --assistant of its own"


def own(data: Path) -> list[str]:
    """What the assistant is taken to have said."""
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        return [found.row.message.text for found in rows.scan(MESSAGES) if found.row.message.author == "self"]


def test_a_name_that_one_person_has_may_be_the_assistant_s(tmp_path: Path) -> None:
    given = write(tmp_path / "talk.json", export(message(1, "hi"), message(2, "hello", author=LEE)))
    brought = ("import", "--audience", "dm", "--no-learn", given, "--data", tmp_path / "d", "--assistant")
    assert dnam(*brought, "lee").out == "Imported 2 messages.\n"
    assert own(tmp_path / "d") == ["hello"]
    assert dnam(*brought, "Lee").out.startswith("Imported nothing new")


def test_a_bot_s_name_goes_before_a_person_s(tmp_path: Path) -> None:
    given = write(tmp_path / "talk.json", export(message(1, author=user("dnam", "78")), message(2, "I", author=BOT)))
    options = ("--audience", "guild", "--no-learn", "--assistant", "dnam")
    assert dnam("import", *options, given, "--data", tmp_path / "d").code == 0
    assert own(tmp_path / "d") == ["I"]


@pytest.mark.parametrize("bot", [False, True])
@pytest.mark.parametrize("option", ["--no-learn", "--dry-run"])
def test_an_assistant_s_name_that_several_have_is_refused_with_their_ids(
    tmp_path: Path, option: str, bot: bool
) -> None:
    two = [message(n, author=user("dnam", key, bot=bot)) for n, key in enumerate(("77", "78"), 1)]
    command = ("import", write(tmp_path / "talk.json", export(*two)), "--audience", "guild", option)
    ran = dnam(*command, "--assistant", "dnam", "--data", tmp_path / "d")
    assert (ran.code, ran.err) == (2, f"dnam: --assistant: 'dnam' fits 2 accounts: give one of 77, 78{SEVERAL}\n")
    assert not (tmp_path / "d").exists()
    assert dnam(*command, "--assistant", "discord:78", "--data", tmp_path / "d").code == 0


def test_an_assistant_that_had_several_accounts_is_named_by_each(tmp_path: Path) -> None:
    """A bot that was made anew, in one file or in two: what any of its accounts said is the assistant's, and a mention
    of any is addressed to it. One that is mistyped is refused beside others that are not.
    """
    first, second = user("dnam", "77", bot=True), user("dnam", "78", bot=True)
    told = [message(1, "one", author=first), message(2, "<@77> tea?"), message(3, "<@78> tea?")]
    files = [
        write(tmp_path / "old.json", export(*told)),
        write(tmp_path / "new.json", export(message(9, "two", author=second), id="501", name="other")),
    ]
    options = ("--audience", "guild", "--no-learn", "--data", tmp_path / "d", "--assistant", "77")
    command: tuple[str | Path, ...] = ("import", *files, *options)
    ran = dnam(*command, "--assistant", "79")
    assert (ran.code, "nobody called '79' wrote anything here" in ran.err) == (2, True)
    assert dnam(*command, "--assistant", "discord:78").code == 0
    assert sorted(own(tmp_path / "d")) == ["one", "two"]
    with Engine.open(tmp_path / "d", writable=False) as engine, engine.reading() as rows:
        messages = [found.row.message for found in rows.scan(MESSAGES)]
    assert sorted(each.text for each in messages if each.addressed) == ["@77 tea?", "@78 tea?"]


def test_whoever_is_called_like_the_assistant_is_learned_from_like_anybody(tmp_path: Path) -> None:
    """What dnam itself calls them in a prompt (`user dnam`) speaks to no assistant."""
    given = [message(1, "I like tea"), message(2, "I grow roses.", author=user("dnam", "78")), message(3, author=BOT)]
    path = write(tmp_path / "talk.json", export(*given))
    options = ("--audience", "guild", "--assistant", "dnam", "--data", tmp_path / "d")
    ran = dnam("import", *options, path)
    assert (ran.code, ran.err) == (0, ""), ran
    (session,) = dnam("sessions", "--json", "--data", tmp_path / "d").values
    assert dnam("summary", session["session"], "--data", tmp_path / "d").out.count("user dnam: I grow roses.") == 1


def test_people_go_by_their_account_s_name_and_not_by_what_one_server_calls_them(tmp_path: Path) -> None:
    """In everything that takes a USER, and in whatever is shown."""
    data = tmp_path / "d"
    ivy = user("marcy_w", nickname="Ivy in recovery")
    hello = message(1, "hello all, I am @Ivy in recovery", ivy, mentions=[ivy])
    given = write(tmp_path / "talk.json", export(hello, message(2, "and I", LEE)))
    command = ("import", given, "--audience", "guild", "--data", data)
    assert dnam(*command, "--same-person", "marcy_w=lee").code == 0
    (one,) = dnam("people", "--json", "--data", data).values
    assert {each["name"] for each in one["names"]} == {"marcy_w", "lee"}
    assert dnam("show", "lee", "--data", data).out == dnam("show", "marcy_w", "--data", data).out
    other = tmp_path / "e"
    assert dnam("import", given, "--audience", "guild", "--data", other).code == 0
    shown = dnam("prompt", "lee", "who is here?", "--in", "talk", "--data", other).out
    assert "[marcy_w]: hello all, I am @marcy_w" in shown
    assert "recovery" not in shown + dnam("log", "--json", "--data", other).out


def test_in_locomo_an_assistant_s_name_that_several_have_is_refused_and_an_id_is_one_of_them(tmp_path: Path) -> None:
    talks = write(tmp_path / "talks.json", TALKS)
    command = ("import", talks, "--audience", "guild", "--no-learn", "--data", tmp_path / "d", "--assistant")
    ran = dnam(*command, "john")
    assert (ran.code, ran.err) == (
        2,
        f"dnam: --assistant: 'john' fits 2 accounts: give one of c0/John, c1/John{SEVERAL}\n",
    )
    assert not (tmp_path / "d").exists()
    assert dnam(*command, "locomo:c1/John").code == 0
    assert len(own(tmp_path / "d")) == 1


def test_two_who_are_known_as_two_are_refused_before_anything_is_brought_in(tmp_path: Path) -> None:
    given = write(tmp_path / "talk.json", export(message(1), message(2, author=LEE)))
    more = write(tmp_path / "more.json", export(*(message(n, author=user("new")) for n in range(3, 9)), message(9)))
    command = ("--audience", "guild", "--no-learn", "--data", tmp_path / "d")
    assert dnam("import", given, *command).code == 0
    ran = dnam("import", more, *command, "--same-person", "Kim=Lee")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("dnam: --same-person: 'Kim' and 'Lee' are two people here already")
    assert heard(tmp_path / "d") == 2
    assert dnam("import", more, *command, "--same-person", "Kim=new").code == 0
    assert dnam("people", "--data", tmp_path / "d", "--json").out.count('"person"') == 2


def test_one_wrong_time_neither_comes_in_nor_stops_the_summary(tmp_path: Path) -> None:
    given = write(tmp_path / "talk.json", export(message(1, id="abc", timestamp="9999-12-31T00:00:00Z"), message(2)))
    ran = dnam("import", "--json", "--audience", "guild", given, "--data", tmp_path / "d")
    assert ran.code == 0
    assert ran.value["imported"]["messages"] == 1
    assert list(ran.value["imported"]["skipped"]) == ["its time lies more than a day in the future"]


@pytest.mark.parametrize("option", ["--no-learn", "--dry-run"])
def test_what_is_skipped_is_told_with_its_first_places(tmp_path: Path, option: str) -> None:
    bad = [message(n) | {"content": 7} for n in range(1, 5)]
    given = write(tmp_path / "talk.json", export(message(0), *bad, message(5, id="a", timestamp="never")))
    command = ("import", option, "--audience", "guild", given, "--data", tmp_path / "d")
    printed = dnam(*command).out
    assert re.search(
        rf"4: not in the form of a message \({given}, message 2: .*, {given}, message 3: .*, …\)\n", printed
    )
    assert f"1: without a usable time ({given}, message 6 (id a))\n" in printed
    (said,) = (each for each in dnam(*command, "--json").value.values() if each)
    assert said["skipped_at"]["without a usable time"] == [f"{given}, message 6 (id a)"]
    assert len(said["skipped_at"]["not in the form of a message"]) == 3


@pytest.mark.parametrize("option", ["--learn", "--dry-run"])
def test_bad_files_of_a_folder_stop_nothing_else(tmp_path: Path, option: str) -> None:
    talk = write(tmp_path / "talk.json", export(message(1, "I keep bees")))
    folder = tmp_path / "claw"
    item = {"id": "i1", "kind": "fact", "text": "likes tea", "createdAt": 1, "updatedAt": 2}
    write(folder / "durable" / "3.json", {"version": 1, "items": [item]})
    write(folder / "durable" / "1.json", {"version": 9, "items": []})
    (folder / "durable" / "2.json").write_text('{"version": 1, "it')
    ran = dnam("import", option, "--audience", "guild", folder, talk, "--data", tmp_path / "d")
    assert ran.code == 3
    assert "1.json has version 9 at $.version" in ran.err
    assert "2.json breaks off after value 0" in ran.err
    assert "run the same command" not in ran.err
    if option == "--learn":
        assert ran.out.startswith("Imported 1 message, 1 item.\nLearned: ")


def test_an_import_leaves_events_of_its_own_where_it_brought_anything(tmp_path: Path) -> None:
    options = ("import", "--audience", "guild", "--no-learn", SAMPLE, "--data", tmp_path / "d")
    for _ in range(2):
        assert dnam(*options).code == 0
    began, ended = dnam("log", "--tag", "import", "--json", "--data", tmp_path / "d").values
    assert (began["seq"], began["event"]["formats"]) == (1, ["discord-export"])
    assert (ended["event"]["messages"], ended["event"]["began"]) == (41, began["id"])
    assert ended["event"]["first_said"] < ended["event"]["last_said"] < ended["event"]["said"]
    told = dnam("show", "Tobi", "--at", "0", "--data", tmp_path / "d").err
    assert "an import from discord-export came in later, with what was said since 2026-03" in told


def test_what_was_brought_in_and_not_read_is_learned_by_the_same_import(tmp_path: Path) -> None:
    options = ("import", "--audience", "guild", "--assistant", "dnam", SAMPLE, "--data", tmp_path / "d")
    assert dnam(*options, "--no-learn").out == "Imported 41 messages.\n"
    ran = dnam(*options)
    assert ran.out.startswith("Imported nothing new; 41 known already.\nLearned: ")
    assert dnam(*options).out == "Imported nothing new; 41 known already.\n"


@pytest.mark.parametrize("option", ["--dry-run", "--no-learn"])
def test_an_unknown_type_of_channel_is_restricted_and_told_of(tmp_path: Path, option: str) -> None:
    strange = write(tmp_path / "strange.json", export(message(1), message(2, author=LEE), kind="GuildHologram"))
    ran = dnam("import", "--audience", "guild", option, strange, "--data", tmp_path / "d")
    told = "talk is of a type that dnam does not know ('GuildHologram')"
    assert (ran.code, ran.err) == (0, f"dnam: {told}: it counts as restricted, whatever is said of it\n")
    if option == "--no-learn":
        (session,) = json.loads(f"[{dnam('sessions', '--json', '--data', tmp_path / 'd').out}]")
        assert session["audience"] == "channel"


def edited_later(folder: Path) -> list[Path]:
    """An export, and one of the same channel in which two messages were edited since."""
    first = [message(n, f"number {n}") for n in range(15)]
    new = [each | {"content": "better", "timestampEdited": iso(T0 + 60_000)} for each in first[:2]]
    return [write(folder / f"{n}.json", export(*each)) for n, each in enumerate([first, [*new, *first[2:]]])]


def test_two_texts_with_one_id_come_in_once_each(tmp_path: Path) -> None:
    tea, mate = item("a", "likes tea", T0), item("a", "likes mate", T0)
    write(tmp_path / "disco" / "durable" / "1.json", store(tea, mate))
    command = (tmp_path / "disco", "--data", tmp_path / "d")
    ran = dnam("import", "--no-learn", *command)
    _, renamed = ran.out.splitlines()
    assert ran.out.startswith("Imported 2 items.\n  changed 1: an id that two items of a file have: ")
    shown = dnam("show", "1", "--data", tmp_path / "d").out
    assert "likes tea" in shown
    assert "likes mate" in shown
    again = dnam("import", "--no-learn", tmp_path / "disco", "--data", tmp_path / "d")
    assert again.out == f"Imported nothing new; 2 known already.\n{renamed}\n"
    (place,) = dnam("import", "--json", "--dry-run", *command).value["dry_run"]["changed_at"].values()
    assert place == [f"a of 1 is {derive('preference', 'likes mate')} here"]
    assert place[0] in renamed
    assert derive("preference", "likes mate") in shown


def test_edits_are_told_from_messages(tmp_path: Path) -> None:
    first, then = edited_later(tmp_path)
    command = ("import", "--audience", "guild", "--no-learn", "--data", tmp_path / "d")
    assert dnam(*command, first).out == "Imported 15 messages.\n"
    rehearsed = dnam(*command, "--dry-run", then).out
    assert "Read 15: 0 would be new, 2 edits, 13 known already.\n" in rehearsed
    assert re.search(r"edited message +guild/G +2\n", rehearsed)
    assert dnam(*command, then).out == "Imported 2 edits; 13 known already.\n"
    logged = dnam("log", "--tag", "import.ended", "--data", tmp_path / "d").out.splitlines()
    assert logged[0].endswith("15 messages, 0 items, 0 summaries")
    assert logged[1].endswith(" 0 messages, 0 items, 0 summaries")
    assert len(dnam("log", "--tag", "message.edited", "--data", tmp_path / "d").out.splitlines()) == 2
    again = json.loads(dnam(*command, "--json", first, then).out)["imported"]
    assert (again["messages"], again["edits"], again["narrowed"], again["known"]) == (0, 0, 0, 30)


def test_a_channel_that_is_restricted_anew_is_no_message(tmp_path: Path) -> None:
    data = ("--data", tmp_path / "d")
    assert dnam("import", "--audience", "guild", "--no-learn", SAMPLE, *data).code == 0
    command = ("import", "--audience", "channel", "--no-learn", SAMPLE, *data)
    rehearsed = dnam(*command, "--dry-run").out
    assert "Read 41: 0 would be new, 1 channel would be restricted, 41 known already.\n" in rehearsed
    assert re.search(r"restricted channel +channel/C +1\n", rehearsed)
    closed = "restricted 1 channel that everybody in the guild could read"
    assert dnam(*command).out == f"Imported nothing new; {closed}; 41 known already.\n"
    logged = dnam("log", "--tag", "import.ended", *data).out.splitlines()
    assert logged[1].endswith(" 0 messages, 0 items, 0 summaries")
    assert len(dnam("log", "--tag", "place.audience_changed", *data).out.splitlines()) == 1
    assert "  0, 41 closed  " in dnam("sessions", *data).out
    session = json.loads(dnam("sessions", "--json", *data).out)
    assert (session["messages"], session["closed"], session["epoch"]) == (0, 41, 1)
    people = [json.loads(each) for each in dnam("people", "--json", *data).out.splitlines()]
    assert session["last_said"] == max(each["last_said"] for each in people if each["last_said"])


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ([None], [(256, None), (512, None), (600, None), (600, 600)]),
        ([600], [(256, 600), (512, 600), (600, 600), (600, 600)]),
        ([900], [(256, 900), (512, 900), (600, 900), (600, 600)]),
        ([300], [(256, 300), (512, None), (600, None), (600, 600)]),
        # A file that does not say how many it has leaves it open how many there are in all.
        ([300, None], [(256, None), (512, None), (600, None), (600, 600)]),
        ([300, 300], [(256, 600), (512, 600), (600, 600), (600, 600)]),
    ],
)
@pytest.mark.parametrize("option", ["--dry-run", "--no-learn"])
def test_a_bar_says_how_far_an_import_is_only_where_that_is_known(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    option: str,
    counts: list[int | None],
    told: list[tuple[int, int | None]],
) -> None:
    shown: list[tuple[int, int | None]] = []

    @contextmanager
    def watched(*_: str) -> Iterator[Progress]:
        yield lambda done, total: shown.append((done, total))

    monkeypatch.setattr(Screen, "progress", watched)
    each = MANY // len(counts)
    for file, count in enumerate(counts):
        value = export(*(message(file * each + n) for n in range(each)), id=str(500 + file))
        given = value | {"messageCount": count} if count is not None else value
        if count is None:
            del given["messageCount"]
        write(tmp_path / f"{file}.json", given)
    files = [tmp_path / f"{file}.json" for file in range(len(counts))]
    assert dnam("import", "--audience", "guild", option, *files, "--data", tmp_path / "d").code == 0
    assert shown == told


class Terminal(StringIO):
    """Somebody types these lines."""

    def isatty(self) -> bool:
        return True


def typing(monkeypatch: pytest.MonkeyPatch, text: str) -> Terminal:
    """A person at a terminal, and what they are shown."""
    shown = Terminal()
    monkeypatch.setattr(sys, "stdin", Terminal(text))
    monkeypatch.setattr(sys, "stderr", shown)
    return shown


@pytest.mark.parametrize(("typed", "audience"), [("guild\n", "guild"), ("\n", "channel"), (" DM \n", "dm")])
def test_in_a_terminal_it_asks_who_could_read_a_channel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str, audience: str
) -> None:
    shown = typing(monkeypatch, typed)
    source = detect(SAMPLE)
    (channel,) = source.channels
    assert bringing._ask([source], Screen()) == {channel.key: audience}
    assert shown.getvalue() == f"Who could read {channel.name}? guild, channel or dm [channel] "
    assert bringing._ask([source], Screen(yes=True)) == {}
    assert "count as restricted" in shown.getvalue()


def test_at_a_wrong_word_for_who_could_read_it_it_asks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = typing(monkeypatch, "friends\nguild\n")
    source = detect(SAMPLE)
    assert list(bringing._ask([source], Screen()).values()) == ["guild"]
    question = "Who could read plot-talk? guild, channel or dm [channel] "
    assert shown.getvalue() == f"{question}dnam: one of guild, channel, dm, not 'friends'\n{question}"


def test_a_channel_in_several_files_is_asked_about_once(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = typing(monkeypatch, "guild\nchannel\n")
    assert list(bringing._ask([detect(SAMPLE), detect(SAMPLE)], Screen()).values()) == ["guild"]
    assert shown.getvalue().count("?") == 1


@pytest.mark.parametrize("typed", ["", "friends\n"])
@pytest.mark.parametrize("option", ["--no-learn", "--dry-run"])
def test_where_typing_ends_at_the_question_nothing_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str, typed: str
) -> None:
    """As at the other question that has several answers, of an adoption."""
    answers = iter([*typed.splitlines(keepends=True), ""])
    monkeypatch.setattr(bringing, "answer_to", lambda _: next(answers))
    monkeypatch.setattr(bringing, "_may_ask", lambda _: True)
    ran = dnam("import", option, SAMPLE, "--data", tmp_path / "d")
    assert (ran.code, ran.out) == (130, "")
    assert ran.err.endswith("dnam: ended at the question: nothing was imported\n")
    assert not (tmp_path / "d").exists()


@pytest.fixture
def paid(monkeypatch: pytest.MonkeyPatch) -> ScriptedModel:
    """A model that costs money."""
    model = ScriptedModel(paid=True)
    monkeypatch.setattr("dnam.models.choose", lambda *_: model)
    return model


def bought(tmp_path: Path, *options: str) -> Ran:
    return dnam("import", "--audience", "guild", *options, SAMPLE, "--data", tmp_path / "d")


def test_a_paid_model_is_asked_for_only_after_a_yes(tmp_path: Path, paid: ScriptedModel) -> None:
    assert bought(tmp_path, "--no-learn").code == 0
    ran = dnam("learn", "--data", tmp_path / "d")
    assert ran.code == 2
    assert re.search(r"takes \d+ calls of a paid model and sends about [\d,]+ tokens.* pass --yes", ran.err)
    assert paid.asks == []
    ran = dnam("learn", "--yes", "--data", tmp_path / "d")
    assert ran.out.startswith("Learned: ")
    assert paid.asks != []


@pytest.mark.parametrize(("typed", "asked"), [("y\n", True), ("n\n", False), ("", False)])
def test_at_a_terminal_a_paid_model_is_confirmed(
    tmp_path: Path, paid: ScriptedModel, monkeypatch: pytest.MonkeyPatch, typed: str, asked: bool
) -> None:
    assert bought(tmp_path, "--no-learn").code == 0
    monkeypatch.setattr(Screen, "confirm", lambda _self, question: "paid model" in question and typed == "y\n")
    ran = dnam("learn", "--data", tmp_path / "d")
    assert ran.code == 0
    assert bool(paid.asks) == asked
    assert asked or ran.out == "Not learned. `dnam learn` does it later.\n"


@pytest.mark.parametrize("command", ["import", "learn"])
def test_what_could_not_be_learned_could_not_be_done(tmp_path: Path, paid: ScriptedModel, command: str) -> None:
    paid.paid = False
    paid.scripts = {"extraction": down, "summary": down}
    ran = bought(tmp_path, *(["--no-learn"] if command == "learn" else []))
    if command == "learn":
        ran = dnam("learn", "--data", tmp_path / "d")
    assert ran.code == 3
    assert "will be tried again by `dnam learn`: no answer to extraction" in ran.err
    assert "no answer to summary" in ran.err


@pytest.mark.parametrize("command", ["import", "learn"])
def test_what_is_put_off_could_not_be_done_and_what_was_done_is_told(
    tmp_path: Path, paid: ScriptedModel, command: str
) -> None:
    def rests(_: Ask) -> str:
        raise Resting("it asked to be left alone", 90)

    paid.paid = False
    paid.scripts = {"summary": rests}
    ran = bought(tmp_path, *(["--no-learn"] if command == "learn" else []))
    if command == "learn":
        ran = dnam("learn", "--data", tmp_path / "d")
    assert ran.code == 3
    assert re.search(r"Learned: .* from [1-9]\d* extractions?; summaries refreshed 0 times", ran.out)
    assert re.search(r"[1-9]\d* calls? put off, which `dnam learn` makes later: it asked to be left alone", ran.err)


@pytest.mark.parametrize("command", ["import", "learn"])
def test_merges_that_failed_are_told_of(tmp_path: Path, paid: ScriptedModel, command: str) -> None:
    texts = cycle(("User likes tea.", "User likes green tea."))
    paid.paid = False
    paid.scripts = {
        "extraction": lambda _: json.dumps({"upserts": [{"kind": "preference", "text": next(texts)}]}),
        "merge": down,
    }
    ran = bought(tmp_path, *(["--no-learn"] if command == "learn" else []))
    if command == "learn":
        ran = dnam("learn", "--data", tmp_path / "d")
    assert ran.code == 3
    assert re.search(r"items that are close stay apart, since \d+ merge\(s\) failed: no answer to merge", ran.err)
    assert "Learned: " in ran.out
    assert "tried again" not in ran.err


@pytest.mark.parametrize("content", [b"", b"{}", b"[1, 2]", b"\x00\xff", b'{"messages": 3}'])
def test_a_file_of_another_kind_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "strange.json"
    path.write_bytes(content)
    ran = dnam("import", path, "--data", tmp_path / "d")
    assert ran.code in (2, 3)
    assert "strange.json" in ran.err
    assert "Traceback" not in ran.err
    assert not (tmp_path / "d" / "log").exists()


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    ran = dnam("import", tmp_path / "gone.json", "--data", tmp_path / "d")
    assert ran.code in (2, 3)
    assert "gone.json" in ran.err


def start(*arguments: object) -> subprocess.Popen[str]:
    """A command in a process of its own."""
    command = [sys.executable, "-m", "dnam", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_two_at_once_bring_in_every_message_once(tmp_path: Path) -> None:
    data, path = tmp_path / "d", exported(tmp_path, 300)
    both = [start("import", "--audience", "guild", path, "--data", data) for _ in range(2)]
    ended = [(process.wait(), process.communicate()) for process in both]
    assert [code for code, _ in ended] == [0, 0], ended
    assert heard(data) == 300
    with Engine.open(data, writable=False) as engine, engine.reading() as rows:
        assert len(people(rows)) == 5


@pytest.mark.parametrize(
    ("sent", "background"),
    [*((each, False) for each in (signal.SIGINT, *TOLD_TO_END)), *((each, True) for each in TOLD_TO_END)],
)
def test_whoever_ends_an_import_is_told_what_came_in(tmp_path: Path, sent: signal.Signals, *, background: bool) -> None:
    """In the background of a script Ctrl-C is ignored, and the other two are not."""
    data, path = tmp_path / "d", exported(tmp_path, MANY)
    ignored = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); " if background else ""
    code = f"{ignored}from tests.kills.interrupted import interrupted; interrupted('log', 2, {int(sent)})"
    ran = ended(process("import", "--audience", "guild", path, "--data", data, code=code))
    told, end = ran.err.splitlines()
    assert told.startswith("dnam: until then: imported ")
    assert told.endswith("What was imported stays; run the same command to go on")
    assert (ran.code, end) == (128 + sent, "dnam: interrupted")
    assert 0 < heard(data) < MANY
    store = DiskStore(data, FOLD, writable=False)
    assert check(store, FOLD).equal
    store.close()


def test_whoever_ends_a_learning_has_what_was_learned(tmp_path: Path) -> None:
    data, path = tmp_path / "d", exported(tmp_path, MANY)
    assert dnam("import", "--audience", "guild", path, "--no-learn", "--data", data).code == 0
    code = f"from tests.kills.interrupted import interrupted; interrupted('log', 2, {int(signal.SIGTERM)})"
    ran = ended(process("learn", "--data", data, code=code))
    assert (ran.code, ran.err.splitlines()[-1]) == (143, "dnam: interrupted")
    assert dnam("learn", "--data", data).code == 0
    assert heard(data) == MANY


def test_a_signal_that_is_ignored_stays_so(tmp_path: Path) -> None:
    """As under `nohup`."""
    data, path = tmp_path / "d", exported(tmp_path, MANY)
    ignored = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)"
    code = f"{ignored}; from tests.kills.interrupted import interrupted; interrupted('log', 2, signal.SIGHUP)"
    ran = ended(process("import", "--audience", "guild", path, "--no-learn", "--data", data, code=code))
    assert (ran.code, heard(data)) == (0, MANY)


@pytest.mark.parametrize(
    ("command", "commit", "at"), [("import", "log", 2), ("replay", "views", 1), ("replay", "views", 2)]
)
def test_ctrl_c_keeps_what_there_is(tmp_path: Path, command: str, commit: str, at: int) -> None:
    data, path = tmp_path / "d", exported(tmp_path, MANY)
    bring = ("import", "--audience", "guild", path, "--data", data)
    if command == "replay":
        assert dnam(*bring[:3], "--no-learn", *bring[3:]).code == 0
    code = f"from tests.kills.interrupted import interrupted; interrupted({commit!r}, {at})"
    ran = ended(process(*(bring if command == "import" else ("replay", "--data", data)), code=code))
    assert ran.code == 130, ran
    assert "Traceback" not in ran.err
    kept = heard(data)
    assert (0 < kept < MANY) if command == "import" else kept == MANY
    assert dnam(*bring[:3], "--no-learn", *bring[3:]).code == 0
    assert heard(data) == MANY
    store = DiskStore(data, FOLD, writable=False)
    assert check(store, FOLD).equal
    store.close()


def piped(content: bytes, *arguments: str | Path) -> Ran:
    started = process(*arguments, stdin=subprocess.PIPE)
    out, err = started.communicate(content, timeout=HANGS)
    return Ran(started.returncode, out.decode(), err.decode())


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
@pytest.mark.parametrize("padding", [0, 1 << 18], ids=["short", "longer than a pipe holds"])
def test_what_comes_through_a_pipe_is_read_whole(tmp_path: Path, name: str, padding: int) -> None:
    content = SAMPLE.read_bytes() + b" " * padding
    ran = piped(content, "import", "--audience", "guild", "--no-learn", name, "--data", tmp_path / "d")
    assert ran == (0, "Imported 41 messages.\n", "")
    again = dnam("import", "--audience", "guild", "--no-learn", SAMPLE, "--data", tmp_path / "d")
    assert again.out == "Imported nothing new; 41 known already.\n"


def test_a_fifo_is_read_whole(tmp_path: Path) -> None:
    import os
    import threading

    os.mkfifo(tmp_path / "fifo")
    writer = threading.Thread(target=(tmp_path / "fifo").write_bytes, args=(SAMPLE.read_bytes(),))
    writer.start()
    ran = dnam("import", "--audience", "guild", "--no-learn", tmp_path / "fifo", "--data", tmp_path / "d")
    writer.join()
    assert (ran.code, ran.out, ran.err) == (0, "Imported 41 messages.\n", "")


def test_what_is_wrong_with_a_pipe_is_told_by_the_name_that_was_given(tmp_path: Path) -> None:
    ran = piped(b"{}", "import", "-", "--data", tmp_path / "d")
    assert (ran.code, ran.err.partition(", which")[0]) == (3, "dnam: - is JSON, but nothing dnam reads")
    empty = piped(b"", "import", "/dev/stdin", "--data", tmp_path / "d")
    assert (empty.code, empty.err) == (3, "dnam: /dev/stdin is an empty file: there is nothing to import.\n")
    cut = piped(SAMPLE.read_bytes()[:-900], "import", "--audience", "guild", "-", "--data", tmp_path / "d")
    assert cut.code == 3
    assert "/tmp" not in cut.err


def test_what_is_skipped_of_a_pipe_is_told_by_the_name_that_was_given(tmp_path: Path) -> None:
    given = write(tmp_path / "talk.json", export(message(1, id="abc", timestamp="9999-12-31T00:00:00Z"), message(2)))
    ran = piped(given.read_bytes(), "import", "--audience", "guild", "--no-learn", "-", "--data", tmp_path / "d")
    assert "(-, message " in ran.out
