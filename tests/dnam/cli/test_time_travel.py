"""--at and --said: what was known, and what had been said; which clock is named; nothing on disk changes."""

from pathlib import Path
from typing import Any

import pytest
from freezegun import freeze_time

from dnam.memory import Memory
from projections.events import ConfigSet, ImportBegan, ImportEnded
from projections.events.values import OPERATOR
from replay.codec import decode_header
from replay.engine import Engine
from replay.log import StoredEvent
from replay.sealer import Sealer
from tests.dnam.cli.memories import SUMMARY, bytes_of, dnam, garden, make
from tests.replay.stage import drafts
from tests.world import NOW

LATER = "2023-11-15 12:00:00"
TEA, BRIDGE, RAIN = "prefers tea over coffee", "builds the bridge project", "hates rain"
SEQ = "a number alone is taken for a seq; a date is written as"
AS_OF_FIELDS = "clock seq ms ms_iso"


def texts(value: Any) -> list[str]:
    return sorted(each["text"] for each in value["items"])


@pytest.mark.parametrize(
    ("options", "known"),
    [
        ((), [BRIDGE, TEA]),
        (("--at", "25"), [BRIDGE, TEA]),
        (("--at", "now"), [BRIDGE, TEA]),
        (("--at", "22"), [BRIDGE, RAIN, TEA]),
        (("--at", "#21"), [BRIDGE, TEA]),
        (("--at", "20"), [TEA]),
        (("--at", "3"), []),
        (("--at", "2023-11-14"), [BRIDGE, TEA]),
        (("--at", "2023-11-13"), []),
        (("--at", "yesterday"), [BRIDGE, TEA]),
        (("--at", "2 days ago"), []),
        (("--said", "2023-11-14 22:13:19"), []),
        (("--said", "yesterday 23:00"), [BRIDGE, TEA]),
    ],
    ids=" ".join,
)
@freeze_time(LATER)
def test_show_at_is_what_was_known_then(data: Path, options: tuple[str, ...], known: list[str]) -> None:
    before = bytes_of(data)
    value = dnam("show", "Kim", *options, "--json", "--data", data).value
    assert texts(value) == known
    assert (value["as_of"] is None) == (not options)
    if options:
        assert " ".join(value["as_of"]) == AS_OF_FIELDS
    assert bytes_of(data) == before


@freeze_time(LATER)
def test_inside_of_a_decision_it_is_its_end_and_that_is_said(data: Path) -> None:
    with Engine.open(data, writable=False) as engine:
        lefts = {each.seq: decode_header(each.header).left for each in engine.store.log.read(0)}
    inside, left = next((seq, left) for seq, left in lefts.items() if left)
    end = inside + left
    ran = dnam("show", "Kim", "--at", str(inside), "--data", data)
    assert ran.err.splitlines()[0].endswith(f"#{inside} was recorded together with #{end}")
    assert ran.err.startswith(f"dnam: as recorded up to #{end}, ")
    assert ran.out == dnam("show", "Kim", "--at", str(end), "--data", data).out


@freeze_time(LATER)
def test_the_clock_is_named(data: Path) -> None:
    ran = dnam("show", "Kim", "--at", "22", "--data", data)
    assert ran.err == "dnam: as recorded up to #22, 2023-11-14 22:13+00:00\n"
    assert RAIN in ran.out
    ran = dnam("show", "Kim", "--said", "2023-11-14 23:00", "--data", data)
    assert ran.err == "dnam: as said up to 2023-11-14 23:00+00:00\n"


@freeze_time(LATER)
def test_a_former_name_and_todays_both_name_somebody_in_the_past(data: Path) -> None:
    for name in ("Kim", "Kimberly", "100"):
        ran = dnam("show", name, "--at", "4", "--data", data)
        assert (ran.code, ran.out) == (0, "Kim (discord:100)\n")
        assert ran.err.endswith("dnam: nothing is remembered of Kim by then\n")


@freeze_time(LATER)
def test_a_summary_at_a_moment(data: Path) -> None:
    assert dnam("summary", "general", "--at", "25", "--data", data).out == f"{SUMMARY}\n"
    ran = dnam("summary", "general", "--at", "23", "--data", data)
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.endswith("dnam: there is no summary of general by then\n")
    value = dnam("summary", "general", "--at", "25", "--json", "--data", data).value
    assert (value["text"], value["as_of"]["seq"]) == (SUMMARY, 25)


@freeze_time(LATER)
def test_a_prompt_at_a_moment_holds_what_was_known_and_said_then(data: Path) -> None:
    text = dnam("prompt", "Kim", "which tea?", "--in", "general", "--at", "5", "--data", data).out
    assert "[Kimberly]: good morning" not in text  # people are named as in the rows of then
    assert "good morning" in text
    assert "I prefer tea" not in text
    assert BRIDGE not in text
    value = dnam("prompt", "Kim", "x", "--at", "22", "--json", "--data", data).value
    assert value["as_of"]["seq"] == 22
    assert RAIN in value["text"]


@freeze_time(LATER)
def test_the_prompt_of_an_answer_is_made_again_as_it_was(data: Path) -> None:
    dnam("remember", "Kim", "has a new kettle", "--data", data)
    ran = dnam("prompt", "--at", "18", "--data", data)
    assert ran.err == "dnam: the prompt of #18 as it was: its digest is the one that was recorded\n"
    assert ran.out == "User message:\nwhich tea?\n"
    value = dnam("prompt", "--at", "18", "--json", "--data", data).value
    assert (value["turn"], value["differs"], value["as_of"]) == (18, [], {"clock": "recorded", "seq": 17})


@pytest.mark.parametrize(
    ("at", "what"), [("4", "'4' is not the seq of an answer"), ("now", "not the seq of an answer")]
)
def test_only_an_answer_had_a_prompt(data: Path, at: str, what: str) -> None:
    ran = dnam("prompt", "--at", at, "--data", data)
    assert ran.code == 2
    assert what in ran.err


def test_a_prompt_wants_somebody_and_words(data: Path) -> None:
    for arguments in (("prompt",), ("prompt", "Kim"), ("prompt", "Kim", "--at", "18")):
        ran = dnam(*arguments, "--data", data)
        assert (ran.code, ran.err.startswith("dnam: say USER and TEXT")) == (2, True)


@freeze_time(LATER)
def test_stats_at_a_moment_count_what_was_there(data: Path) -> None:
    now, then = (dnam("stats", *at, "--json", "--data", data).value for at in ((), ("--at", "20")))
    assert (now["events"], now["as_of"]) == (25, None)
    assert (then["events"], then["tags"]["item.remembered"], then["as_of"]["seq"]) == (20, 1, 20)
    assert then["items"]["status"] == {"active": 1}
    assert then["head"]["size"] == 20
    assert then["root"] != now["root"]
    again = dnam("stats", "--at", "25", "--json", "--data", data).value
    assert {**again, "as_of": None} == now
    assert dnam("stats", "--at", "0", "--json", "--data", data).value["events"] == 0


@freeze_time(LATER)
def test_stats_by_what_had_been_said_have_no_head(data: Path) -> None:
    said = dnam("stats", "--said", "2023-11-14 22:14:00", "--json", "--data", data).value
    assert (said["head"], said["root"]) == (None, None)
    assert 0 < said["events"] < 25
    whole = dnam("stats", "--said", "now", "--json", "--data", data).value
    assert whole["events"] == 25
    assert dnam("stats", "--said", "now", "--data", data).code == 0


# -- what is no moment ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [
        (("--at", "99"), 2, "there is no event #99 yet: the log ends at #25\n"),
        (("--at", "2023"), 2, f"there is no event #2023 yet: the log ends at #25; {SEQ} 2023-12-31\n"),
        (("--at", "20231114"), 2, f"there is no event #20231114 yet: the log ends at #25; {SEQ} 2023-11-14\n"),
        (("--said", "2023"), 2, f"so it takes a time, not '2023'; {SEQ} 2023-12-31\n"),
        (("--at", "soon"), 2, "'soon' is no moment that I can read"),
        (("--at", "before the last import"), 2, "nothing was ever imported here"),
        (("--said", "22"), 2, "--said goes by when things were said, so it takes a time, not '22'"),
        (("--said", "before the last import"), 2, "so it takes a time"),
        (("--said", "now", "--at", "now"), 2, "give one of them"),
        (("--at", "2099-01-01"), 0, "that is in the future: this is what is known now"),
        (("--said", "2099-01-01"), 0, "that is in the future"),
        (("--at", "2001-01-01"), 0, "nothing was recorded by then: the log begins at 2023-11-14 22:13+00:00"),
    ],
    ids=str,
)
@freeze_time(LATER)
def test_a_moment_that_is_none_is_answered_in_words(data: Path, options: tuple[str, ...], code: int, told: str) -> None:
    ran = dnam("show", "Kim", *options, "--data", data)
    assert ran.code == code
    assert told in ran.err


@freeze_time(LATER)
def test_a_number_that_may_be_a_year_is_said_to_be_a_seq(tmp_path: Path) -> None:
    async def long(memory: Memory) -> None:
        set_so_often = [ConfigSet(said=NOW, by=OPERATOR, scope="global", key="learn", value="none")] * 700
        for name in ("one", "two", "three"):
            memory.engine.record(drafts(*set_so_often, name=name))

    make(tmp_path / "data", garden, long)
    ran = dnam("stats", "--at", "2023", "--data", tmp_path / "data")
    assert (ran.code, ran.err.endswith(f"; {SEQ} 2023-12-31\n")) == (0, True)
    assert ran.err.startswith("dnam: as recorded up to #2")
    for plain in ("#2023", "2024", "1969"):
        assert SEQ not in dnam("stats", "--at", plain, "--data", tmp_path / "data").err


def test_an_empty_folder_has_no_past(tmp_path: Path) -> None:
    ran = dnam("search", "tea", "--at", "yesterday", "--data", tmp_path / "none")
    assert (ran.code, ran.out) == (0, "")
    assert "nothing was recorded by then\n" in ran.err


# -- imports -------------------------------------------------------------------------------------------------------


async def imported(memory: Memory) -> None:
    """Two imports; the second broke off."""
    began = ImportBegan(said=NOW, by=OPERATOR, formats=("locomo",))
    [record] = memory.engine.record(drafts(began, name="began")).records
    await memory.remember("100", "keeps two cats", platform="discord")
    ended = ImportEnded(
        said=NOW, by=OPERATOR, causes=(record.id,), began=record.id, formats=("locomo",),
        first_said=NOW - 400 * 86_400_000, last_said=NOW - 1, messages=1, items=1, summaries=0,
    )  # fmt: skip
    memory.engine.record(drafts(ended, name="ended"))
    memory.engine.record(drafts(began, name="again"))
    await memory.remember("100", "keeps a third cat", platform="discord")


@freeze_time(LATER)
def test_a_look_before_an_import_says_so_and_names_the_command(tmp_path: Path) -> None:
    make(tmp_path / "d", garden, imported)
    ran = dnam("show", "Kim", "--at", "25", "--data", tmp_path / "d")
    assert ran.err.splitlines()[1:] == [
        "dnam: an import from locomo came in later, with what was said since 2022-10-10 22:13+00:00: "
        "`--said 2023-11-14T22:13:19.999+00:00` shows all of it",
        "dnam: an import from locomo came in later, and broke off: `--said WHEN` goes by when things were said",
    ]
    logged = dnam("log", "--until", "25", "--data", tmp_path / "d").err  # it has no --said
    assert ("an import from locomo came in later" in logged, "--said" in logged) == (True, False)
    assert "an import" not in dnam("show", "Kim", "--at", "now", "--data", tmp_path / "d").err
    value = dnam("show", "Kim", "--at", "before the last import", "--json", "--data", tmp_path / "d").value
    assert value["as_of"]["seq"] == 28
    assert texts(value) == [BRIDGE, "keeps two cats", TEA]


# -- what it costs -------------------------------------------------------------------------------------------------


def test_only_the_events_that_made_the_rows_are_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def more(memory: Memory) -> None:
        for number in range(150):
            await memory.heard("200", f"message {number}", platform="discord", key=f"x{number}")
            await memory.remember("200", f"Ada's fact {number}", platform="discord")

    make(tmp_path / "d", more, garden)
    opened: list[int] = []
    whole = Sealer.opened

    def counting(self: Sealer, stored: StoredEvent, *more: Any) -> Any:
        opened.append(stored.seq)
        return whole(self, stored, *more)

    monkeypatch.setattr(Sealer, "opened", counting)
    size = dnam("stats", "--json", "--data", tmp_path / "d").value["events"]
    assert size > 300
    opened.clear()
    shown = dnam("show", "Kim", "--at", str(size - 3), "--json", "--data", tmp_path / "d").value
    assert texts(shown) == [BRIDGE, RAIN, TEA]
    assert 3 <= len(opened) <= 24
    assert sum(seq <= 300 for seq in opened) <= 1  # where others are, and none of what they said and taught
