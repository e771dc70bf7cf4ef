"""erase, redact, opt-out, opt-in, compact: by the operator, on a memory in a folder."""

import json
import os
from pathlib import Path

import pytest

from dnam.cli.forgetting import made_of_it
from dnam.erasing.person import Taken, keys_words
from dnam.memory import Memory
from projections.decisions.meet import Account
from projections.events import PersonErased, TurnWithdrawn
from replay import codec
from replay.engine import Engine
from replay.errors import LogFull
from tests.dnam.cli.memories import GENERAL, bytes_of, dnam, make
from tests.world import NOW

HOLDS_KIM = ("prefers tea", "good morning", "I prefer tea", "Kimberly", "which tea?", "Green tea", "bridge project")


def all_bytes(data: Path) -> bytes:
    return b"".join(bytes_of(data).values())


def holds(data: Path, *words: str) -> list[str]:
    """Which of these words stand in a file of the folder, in UTF-8 or UTF-16."""
    everything = all_bytes(data)
    return [each for each in words if each.encode() in everything or each.encode("utf-16-le") in everything]


def tags(data: Path) -> list[str]:
    with Engine.open(data, writable=False) as engine:
        return [codec.decode_header(stored.header).tag for stored in engine.store.log.read(0)]


# -- erase ---------------------------------------------------------------------------------------------------------


def test_it_says_what_it_takes_and_does_nothing_unless_told(data: Path) -> None:
    before = tags(data)
    ran = dnam("erase", "Kim", "--data", data)
    assert (ran.code, ran.out) == (2, "")
    assert (
        "Kim (discord:100) would be erased: 3 messages, 1 answer, 1 summary, 4 steps in the lives of memories"
        in ran.err
    )
    assert "It cannot be undone. Go on? There is no terminal to answer in: pass --yes to go on" in ran.err
    assert tags(data) == before
    assert dnam("show", "Kim", "--data", data).code == 0


@pytest.mark.parametrize(("answer", "is_done"), [("y\n", True), ("n\n", False), ("\n", False)])
def test_it_asks(data: Path, answer: str, is_done: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dnam.cli.screen.Screen.confirm", lambda *_: answer == "y\n")
    ran = dnam("erase", "Kim", "--data", data, given=answer)
    assert ran.code == 0
    assert (PersonErased.TAG in tags(data)) is is_done
    assert ran.out.startswith("Erased: ") is is_done
    assert ("dnam: not erased: nothing was changed\n" in ran.err) is not is_done


def test_the_receipt_counts_and_names_nobody(data: Path) -> None:
    ran = dnam("erase", "Kim", "--yes", "--data", data)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Erased: 3 messages, 1 answer, 1 summary, 4 steps in the lives of memories and ")
    assert "What stays:" in ran.out
    assert "  - in others' messages, the number of the message that they replied to\n" in ran.out
    assert "What this cannot reach:\n  - Discord: messages there stay" in ran.out
    assert not any(each in ran.out for each in (*HOLDS_KIM, "Kim", "discord:100"))
    assert "nobody here goes by 'Kim'" in dnam("erase", "Kim", "--yes", "--data", data).err
    assert dnam("verify", "--open", "--data", data).code == dnam("replay", "--check", "--data", data).code == 0


def test_the_receipt_as_json(data: Path) -> None:
    value = dnam("erase", "discord:100", "--yes", "--json", "--data", data).value
    assert value.keys() == {"event", "taken", "is_complete", "left", "stays", "cannot_reach", "cancelled", "batches"}
    taken = value["taken"]
    assert taken.keys() == {"keys", "shared", "events", "exports", "shadows"}
    assert (taken["keys"], taken["shared"], taken["exports"], value["is_complete"]) == (2, 0, [], True)
    assert {tag: taken["events"][tag] for tag in ("message.heard", "turn.answered", "item.forgotten")} == {
        "message.heard": 3,
        "turn.answered": 1,
        "item.forgotten": 1,
    }
    assert bytes.fromhex(value["event"])


def test_afterwards_no_file_holds_what_was_theirs_and_what_is_others_is_there(data: Path) -> None:
    assert holds(data, *HOLDS_KIM) != []
    dnam("erase", "Kim", "--yes", "--data", data)
    assert holds(data, *HOLDS_KIM) == []
    assert holds(data, "the gate is broken") == ["the gate is broken"]
    assert [each["name"] for each in dnam("people", "--json", "--data", data).values] == ["Ada", "Sam", "Sam"]


def test_exports_in_the_folder_that_hold_them_go_too_and_others_stay(data: Path) -> None:
    kept = data / "exports"
    kept.mkdir()
    for name, arguments in {
        "whole.jsonl": (),
        "kim.json": ("Kim",),
        "kim.md": ("Kim", "--markdown"),
        "ada.json": ("Ada",),
        "ada.md": ("Ada", "--markdown"),
    }.items():
        assert dnam("export", *arguments, "--out", kept / name, "--data", data).code == 0
    assert dnam("export", "--discoclaw", data / "claw", "--data", data).code == 0
    (kept / "notes.txt").write_text("mine")
    (kept / "empty").touch()
    (kept / "link.json").symlink_to(kept / "kim.json")
    broken_off = kept / ".kim.json.1.new"
    broken_off.write_bytes((kept / "kim.json").read_bytes()[:200])
    ran = dnam("erase", "Kim", "--yes", "--json", "--data", data)
    assert [Path(each).name for each in ran.value["taken"]["exports"]] == [
        ".kim.json.1.new",
        "kim.json",
        "kim.md",
        "whole.jsonl",
    ]
    assert sorted(each.name for each in kept.iterdir()) == ["ada.json", "ada.md", "empty", "link.json", "notes.txt"]
    assert holds(data, *HOLDS_KIM) == []
    assert [each.name for each in (data / "claw").rglob("*.json")] == []


def test_exports_go_wherever_they_lie_in_the_folder(data: Path) -> None:
    folders = [data / name for name in ("mirror", "samples", "log", "keys", "views", "replaced/000001")]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("Kim", "Ada"):  # not into the memory's own folders: they are moved there
            assert dnam("export", name, "--out", data / "e.json", "--data", data).code == 0
            (data / "e.json").rename(folder / f"{name.lower()}.json")
    ran = dnam("erase", "Kim", "--yes", "--json", "--data", data)
    gone = sorted(str(folder / "kim.json") for folder in folders)
    assert ran.value["taken"]["exports"] == gone
    assert [each for each in gone if Path(each).exists()] == []
    assert [folder for folder in folders if not (folder / "ada.json").exists()] == []


def test_files_of_discoclaw_that_another_process_writes_are_left_to_it(data: Path) -> None:
    from dnam.discoclaw.file_set import FileSet

    dnam("export", "--discoclaw", data / "claw", "--data", data)
    held = FileSet(data / "claw")
    assert held.claim()
    ran = dnam("erase", "Kim", "--yes", "--data", data)
    assert f"Left to the process that writes them: the files in {data / 'claw'}" in ran.out
    held.release()


def test_the_mirror_follows(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNAM_JSON_MIRROR", "1")
    dnam("remember", "Ada", "grows roses", "--in", "general", "--data", data)
    assert sorted(each.name for each in (data / "mirror" / "durable").iterdir()) == ["100.json", "200.json"]
    dnam("erase", "Kim", "--yes", "--data", data)
    assert [each.name for each in (data / "mirror").rglob("*.json")] == ["200.json"]
    assert holds(data, *HOLDS_KIM) == []


def test_a_rest_that_cannot_be_done_is_told_and_the_keys_are_gone(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise LogFull("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr("replay.erasure.thin_out", full)
        ran = dnam("erase", "Kim", "--yes", "--data", data)
    assert ran.code == 3
    assert "the disk is full" in ran.err
    assert dnam("show", "Kim", "--data", data).code == 2
    with Engine.open(data) as engine:
        assert engine.finisher is not None
    assert holds(data, *HOLDS_KIM) == []


def test_who_is_shown_by_what_is_another_s_account_name_is_not_erased_by_it(data: Path) -> None:
    async def met(memory: Memory) -> None:
        await memory.meet(Account("discord", "500", "Zoe", "zo"))
        await memory.meet(Account("discord", "600", "zo", "mallory"))

    make(data, met)
    ran = dnam("erase", "zo", "--yes", "--data", data)
    assert ran.code == 2
    assert ran.err.startswith("dnam: 'zo' may be any of:\n")
    assert {"discord:500", "discord:600"} <= set(ran.err.split())
    assert PersonErased.TAG not in tags(data)
    assert dnam("erase", "mallory", "--yes", "--data", data).code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "say whom to erase: a USER, or --guild GUILD"),
        (("Kim", "--guild", "Garden"), "say one of them: a USER, or --guild GUILD"),
        (("nobody",), "nobody here goes by 'nobody'"),
        (("Sam",), "'Sam' may be any of"),
        (("--guild", "Moon"), "which guild is 'Moon'?"),
    ],
)
def test_what_cannot_be_erased_as_asked(data: Path, arguments: tuple[str, ...], said: str) -> None:
    ran = dnam("erase", *arguments, "--yes", "--data", data)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"dnam: {said}")
    assert PersonErased.TAG not in tags(data)


def test_where_there_is_no_memory_there_is_nothing_to_erase(tmp_path: Path) -> None:
    commands = (("erase", "Kim", "--yes"), 2), (("opt-out", "Kim"), 2), (("redact", "1", "--yes"), 3), (("compact",), 3)
    for command, code in commands:
        assert dnam(*command, "--data", tmp_path / "none").code == code
        assert not (tmp_path / "none").exists()


# -- a guild -------------------------------------------------------------------------------------------------------


def test_a_guild_is_redacted_and_people_keep_what_is_theirs_elsewhere(data: Path) -> None:
    ran = dnam("erase", "--guild", "garden", "--data", data)
    asked = (
        "Everything that was said and learned in Garden (discord:9) would be redacted: 3 messages, 1 memory and 2 other"
    )
    assert (ran.code, asked in ran.err) == (2, True)
    assert (
        "Its settings would go too, but for those by which less is learned or kept (learn, retention_days)." in ran.err
    )
    value = dnam("erase", "--guild", "garden", "--yes", "--json", "--data", data).value
    assert value["redacted"] > 4
    assert value["taken"] == {"messages": 3, "answers": 0, "items": 1, "others": 2, "exports": []}
    shown = dnam("show", "Kim", "--all", "--data", data).out
    assert "prefers tea over coffee" in shown
    assert "builds the bridge project" not in shown
    assert "good morning" not in dnam("log", "--data", data).out
    assert dnam("verify", "--open", "--data", data).code == dnam("replay", "--check", "--data", data).code == 0


def test_a_guild_is_not_erased_unless_told(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dnam.cli.screen.Screen.confirm", lambda *_: False)
    before = tags(data)
    assert dnam("erase", "--guild", "9", "--data", data) == (0, "", "dnam: not erased: nothing was changed\n")
    assert tags(data) == before
    monkeypatch.setattr("dnam.cli.screen.Screen.confirm", lambda *_: True)
    out = dnam("erase", "--guild", "9", "--data", data).out
    assert out.startswith("Redacted: 3 messages, 1 memory and 2 other records; ")
    assert "What stays:\n  - what its members keep in their direct messages" in out
    assert "until `dnam compact`, or a bot's next night" in out
    assert "What this cannot reach:\n  - Discord: messages there stay" in out


def test_no_setting_that_another_one_superseded_comes_back_into_force(data: Path) -> None:
    def sets(scope: str, *pairs: str) -> None:
        for pair in pairs:
            assert dnam("config", "set", scope, pair, "--data", data).code == 0

    for scope in ("channel/general", "guild/Garden"):
        sets(scope, "respond_mode=none", "respond_mode=mention", "tools=off", "tools=on")
        sets(scope, "learn=none", "learn=heard", "retention_days=0", "retention_days=5000")
    assert dnam("erase", "--guild", "9", "--yes", "--data", data).code == 0
    listed = dnam("config", "list", "--json", "--data", data).values
    found = {(each["scope"].partition("/")[0], each["key"]): each["value"] for each in listed}
    assert found == {("channel", "retention_days"): "5000", ("guild", "retention_days"): "5000"}
    assert dnam("verify", "--open", "--data", data).code == dnam("replay", "--check", "--data", data).code == 0


def hands(data: Path) -> list[str]:
    """By whom answers were taken away."""
    with Engine.open(data, writable=False) as engine, engine.reading():
        records = [engine.live.folding.record(each) for each in engine.store.log.read(0)]
    return [each.event.by.kind for each in records if each is not None and isinstance(each.event, TurnWithdrawn)]


@pytest.mark.parametrize(
    ("shared", "words"), [(0, "2 keys"), (1, "1 of which seals what"), (2, "2 of which seal what")]
)
def test_the_keys_are_counted_in_words(shared: int, words: str) -> None:
    assert words in keys_words(Taken(2, shared, {}, ()))


def test_where_no_guild_is_known_none_is_listed(tmp_path: Path) -> None:
    assert dnam("remember", "Kim", "grows leeks", "--new", "--data", tmp_path / "new").code == 0
    ran = dnam("erase", "--guild", "Moon", "--yes", "--data", tmp_path / "new")
    assert (ran.code, ran.err) == (2, "dnam: which guild is 'Moon'? No guild is known here\n")


# -- redact --------------------------------------------------------------------------------------------------------


def event_of(data: Path, seq: int) -> str:
    with Engine.open(data, writable=False) as engine:
        stored = engine.store.log.get(seq)
        assert stored is not None
        return codec.header_id(stored.header).hex()


def seq_of(data: Path, tag: str) -> int:
    return tags(data).index(tag) + 1


@pytest.mark.parametrize("name", ["m1", "discord:m1", "#", "bare", "hex"])
def test_a_message_is_redacted_by_any_of_its_names(data: Path, name: str) -> None:
    seq = seq_of(data, "message.heard") + 1
    seq = next(n for n, tag in enumerate(tags(data), 1) if tag == "message.heard" and n >= seq)
    meant = {"#": f"#{seq}", "bare": str(seq), "hex": event_of(data, seq)}.get(name, name)
    ran = dnam("redact", meant, "--yes", "--data", data)
    assert ran.code == 0
    assert ran.out.startswith(f"Redacted {event_of(data, seq)}: the words of ")
    assert "I prefer tea" not in dnam("log", "--data", data).out
    again = dnam("redact", meant, "--yes", "--data", data)
    assert again.code == 2
    assert "gone already" in again.err or "taken back already" in again.err
    assert dnam("verify", "--open", "--data", data).code == dnam("replay", "--check", "--data", data).code == 0


def test_a_message_is_redacted_by_its_link(data: Path) -> None:
    async def numbered(memory: Memory) -> None:
        await memory.heard("100", "the key is under the pot", name="Kim", platform="discord", place=GENERAL, key="7001")

    make(data, numbered)
    link = "https://discord.com/channels/9/1/7001"
    assert "The message of Kim" in dnam("redact", link, "--data", data).err
    assert dnam("redact", link, "--yes", "--data", data).code == 0
    assert "under the pot" not in dnam("log", "--data", data).out


def test_what_is_no_message_is_told_with_what_means_one(data: Path) -> None:
    ran = dnam("redact", "999999", "--data", data)
    assert ran.code == 2
    assert "`dnam log` lists them, each with a number that means it too, as 12 or '#12'" in ran.err
    assert "#1 is " in dnam("redact", "1", "--data", data).err


def test_what_a_model_made_of_it_goes_with_it(data: Path) -> None:
    assert "They compared teas" in dnam("log", "--data", data).out
    value = dnam("redact", "m1", "--yes", "--json", "--data", data).value
    assert value["bodies"] == 3  # the message, the model's reply and its summary
    assert "They compared teas" not in dnam("log", "--data", data).out
    assert "prefers tea over coffee" in dnam("show", "Kim", "--data", data).out  # they asked for that themself


@pytest.mark.parametrize("name", ["d2", "#"])
def test_an_answer_is_redacted_by_the_message_as_which_it_arrived(data: Path, name: str) -> None:
    meant = f"#{seq_of(data, 'turn.answered')}" if name == "#" else name
    assert "Green tea." in dnam("log", "--data", data).out
    assert dnam("redact", meant, "--yes", "--data", data).code == 0
    log = dnam("log", "--data", data).out
    assert "Green tea." not in log
    (taken,) = [line for line in log.splitlines() if "turn.withdrawn" in line]
    assert "an answer in discord:dm:" in taken
    assert hands(data) == ["operator"]
    assert dnam("redact", meant, "--yes", "--data", data).code == 2


def test_an_edited_message_is_redacted_with_every_version(data: Path) -> None:
    async def edits(memory: Memory) -> None:
        from projections.decisions.hear import HeardRequest
        from projections.decisions.meet import Account

        kim = Account("discord", "100", "Kim")
        await memory.hear(HeardRequest("m0", GENERAL, "person", kim, "good evening", NOW, (), edited=NOW + 5_000))

    make(data, edits)
    edited = seq_of(data, "message.edited")
    assert dnam("redact", f"#{edited}", "--yes", "--data", data).code == 0
    log = dnam("log", "--data", data).out
    assert "good morning" not in log
    assert "good evening" not in log
    assert "taken back already" in dnam("redact", "m0", "--yes", "--data", data).err


@pytest.mark.parametrize(
    ("events", "words"), [(0, " would lose its"), (1, ", and 1 event that was made of it, would lose their")]
)
def test_whose_words_would_go_is_told_by_how_much_goes(events: int, words: str) -> None:
    assert made_of_it(events) == words


def test_it_says_what_it_takes_and_asks(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = dnam("redact", "m1", "--data", data)
    assert ran.code == 2
    made = "and 2 events that were made of it, would lose their words."
    assert f"The message of Kim, 2023-11-14 22:14+00:00, {made}" in ran.err
    assert "It cannot be undone." in ran.err
    assert "The answer of 2023-11-14 22:2" in dnam("redact", "d2", "--data", data).err
    monkeypatch.setattr("dnam.cli.screen.Screen.confirm", lambda *_: False)
    assert dnam("redact", "m1", "--data", data) == (0, "", "dnam: not redacted: nothing was changed\n")
    assert "I prefer tea" in dnam("log", "--data", data).out


def test_a_message_of_the_terminal_goes_by_the_id_that_the_log_shows(tmp_path: Path) -> None:
    """It has as many letters and digits as an event's."""

    async def hears(memory: Memory) -> None:
        await memory.heard("und", "my cat is called Rex", key=os.urandom(16).hex())

    make(tmp_path, hears)
    told = [json.loads(line) for line in dnam("log", "--json", "--data", tmp_path).out.splitlines()]
    (key,) = [each["event"]["message"]["ref"]["key"] for each in told if each["tag"] == "message.heard"]
    assert len(key) == 32
    assert dnam("redact", key, "--yes", "--data", tmp_path).code == 0
    assert "Rex" not in dnam("log", "--data", tmp_path).out


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("m999", "no message 'm999' is known here"),
        ("", "no message '' is known here"),
        ("#0", "there is no event #0"),
        ("#9999", "there is no event #9999"),
        ("0" * 32, f"no message '{'0' * 32}' is known here"),
        ("#1", "#1 is person.seen: only messages and answers can be redacted"),
    ],
)
def test_what_is_no_message(data: Path, name: str, said: str) -> None:
    ran = dnam("redact", name, "--yes", "--data", data)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"dnam: {said}")


def test_a_name_that_two_platforms_give_is_told(data: Path) -> None:
    async def says(memory: Memory) -> None:
        await memory.heard("ada", "hello", key="m1", said=NOW)

    make(data, says)
    ran = dnam("redact", "m1", "--yes", "--data", data)
    assert ran.code == 2
    assert "m1 may be any of" in ran.err
    assert dnam("redact", "local:m1", "--yes", "--data", data).code == 0


# -- opting out ----------------------------------------------------------------------------------------------------


def hears(data: Path, text: str, user: str = "200") -> bool:
    """Whether something that somebody says is recorded."""
    before = len(tags(data))

    async def says(memory: Memory) -> None:
        await memory.heard(user, text, platform="discord", key=text, said=NOW + 9_000_000)

    make(data, says)
    return len(tags(data)) > before


def test_who_opted_out_is_not_heard_until_they_opt_in(data: Path) -> None:
    ran = dnam("opt-out", "Ada", "--data", data)
    assert ran == (
        0,
        "Nothing of theirs is recorded from now on.\n"
        f"What is there of them stays: `dnam erase Ada --data {data}` takes it away.\n",
        "",
    )
    assert not hears(data, "one")
    assert dnam("opt-out", "Ada", "--data", data).out.startswith("They had opted out already.\n")
    assert dnam("opt-in", "Ada", "--data", data).out == "What they say is recorded again, from now on.\n"
    assert hears(data, "two")
    assert dnam("opt-in", "Ada", "--data", data).out == "They had not opted out.\n"


def test_somebody_who_was_never_heard_opts_out_by_their_account(data: Path) -> None:
    assert dnam("opt-out", "discord:999", "--json", "--data", data).value == {"done": "opted out", "changed": True}
    assert not hears(data, "one", "999")
    again = dnam("opt-out", "discord:999", "--json", "--data", data).value
    assert again == {"done": None, "why": "They had opted out already.", "changed": False}
    assert dnam("opt-in", "discord:999", "--json", "--data", data).value == {"done": "opted in", "changed": True}
    again = dnam("opt-in", "discord:999", "--json", "--data", data).value
    assert again == {"done": None, "why": "They had not opted out.", "changed": False}
    assert hears(data, "two", "999")


def test_of_who_was_never_heard_nothing_stays_and_a_strange_platform_is_doubted(data: Path) -> None:
    assert dnam("opt-out", "discord:999", "--data", data) == (0, "Nothing of theirs is recorded from now on.\n", "")
    doubted = "nobody was heard from 'elsewhere' yet: is that the platform? Known are discord"
    before = tags(data)
    asked = dnam("opt-out", "elsewhere:999", "--data", data)
    assert (asked.code, asked.out) == (2, "")
    assert f"{doubted}. Go on?" in asked.err
    assert tags(data) == before
    sure = dnam("opt-out", "elsewhere:999", "--yes", "--data", data)
    assert sure == (0, "Nothing of theirs is recorded from now on.\n", f"dnam: {doubted}\n")
    assert dnam("opt-in", "elsewhere:999", "--data", data).code == 0
    before = tags(data)
    mistyped = dnam("opt-out", "discrod:999", "--data", data)
    assert (mistyped.code, mistyped.out) == (2, "")
    assert "nobody was heard from 'discrod' yet; did you mean discord?" in mistyped.err
    assert tags(data) == before
    refused = dnam("opt-out", "discord:abc", "--data", data)
    assert (refused.code, refused.out) == (2, "")
    assert "Discord's ids are numbers, as discord:100" in refused.err


def test_a_platform_is_known_in_capitals_too(data: Path) -> None:
    opted = dnam("opt-out", "DISCORD:200", "--json", "--data", data)
    assert opted.value == {"done": "opted out", "changed": True}
    assert dnam("opt-out", "Ada", "--data", data).out.startswith("They had opted out already.\n")
    assert dnam("opt-out", "DISCORD:999", "--json", "--data", data).value == {"done": "opted out", "changed": True}
    assert not hears(data, "one", "999")


def test_who_opts_out_before_there_is_a_log_is_never_heard(tmp_path: Path) -> None:
    data = tmp_path / "none"
    for user in ("Sam", "elsewhere:1", "discord:abc"):
        assert dnam("opt-out", user, "--data", data).code in (2, 3)
    assert dnam("opt-in", "discord:1", "--data", data).code == 3
    assert not data.exists()
    assert dnam("opt-out", "discord:1", "--data", data) == (0, "Nothing of theirs is recorded from now on.\n", "")
    assert not hears(data, "one", "1")


@pytest.mark.parametrize("user", ["nobody", "discord:", ":9", "Sam"])
def test_who_opts_out_has_to_be_one(data: Path, user: str) -> None:
    before = tags(data)
    assert dnam("opt-out", user, "--data", data).code == 2
    assert tags(data) == before


def test_what_an_erasure_took_does_not_come_back_and_an_opt_out_outlives_it(data: Path) -> None:
    dnam("opt-out", "Ada", "--data", data)
    dnam("erase", "Ada", "--yes", "--data", data)
    assert not hears(data, "one")


# -- compact -------------------------------------------------------------------------------------------------------


def test_what_was_dropped_leaves_the_disk(data: Path) -> None:
    dnam("redact", "m1", "--yes", "--data", data)
    assert holds(data / "views", "I prefer tea") == ["I prefer tea"]  # in a page that nobody reads
    ran = dnam("compact", "--data", data)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[0] == f"{len(tags(data))} events were written anew."
    assert "bytes before" in ran.out.splitlines()[1]
    assert holds(data / "views", "I prefer tea") == []
    assert dnam("verify", "--open", "--data", data).code == dnam("replay", "--check", "--data", data).code == 0


def test_bodies_that_no_key_opens_are_left_behind(data: Path) -> None:
    taken = dnam("erase", "Kim", "--yes", "--json", "--data", data).value["taken"]["events"]
    value = dnam("compact", "--json", "--data", data).value
    assert value.keys() == {"events", "left_behind", "bytes_before", "bytes_after", "shadows"}
    assert value["left_behind"] == sum(taken.values())
    assert f"without {value['left_behind']}" not in dnam("compact", "--data", data).out


def test_the_words_say_how_many(data: Path) -> None:
    taken = dnam("erase", "Kim", "--yes", "--json", "--data", data).value["taken"]["events"]
    told = dnam("compact", "--data", data).out
    assert f", without {sum(taken.values())} that no key opens any more.\n" in told
