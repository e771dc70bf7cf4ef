"""`dnam rederive` and `dnam shadows`: what another model would have made of what was said."""

import asyncio
import gc
import re
import shutil
from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from dnam.memory import Memory
from dnam.rederiving.rederivation import Rederivation
from dnam.shadows.manifest import Manifest, load
from replay.codec import decode_header
from replay.engine import Engine
from replay.log import Head, StoredEvent
from tests.dnam.cli.memories import ROOT, Ran, dnam
from tests.loopback.messages import Server as Claude
from tests.loopback.messages import serving as serving_claude
from tests.loopback.voyage import Encodes, Fails, serving

SAMPLE = ROOT / "data" / "samples" / "garden-club.json"
CAREFUL = f"script:{ROOT / 'data' / 'samples' / 'careful.toml'}"


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, learned from by the offline model."""
    path = tmp_path_factory.mktemp("learned") / "data"
    ran = dnam("import", SAMPLE, "--audience", "guild", "--assistant", "dnam", "--learn", "--data", path)
    assert ran.code == 0, ran.err
    return path


def derived(path: Path, *options: str, name: str = "next") -> None:
    ran = dnam("rederive", "--name", name, *options, "--data", path)
    assert ran.code == 0, ran.err


def events_of(path: Path) -> tuple[Head, list[StoredEvent]]:
    with Engine.open(path, writable=False) as engine:
        return engine.head(), list(engine.store.log.read(0))


def test_by_the_same_model_nobody_is_asked_and_nothing_differs(learned: Path) -> None:
    before = events_of(learned)
    ran = dnam("rederive", "--name", "same", "--data", learned)
    assert ran.code == 0
    assert ran.err.splitlines() == [
        "dnam: a new shadow same, by offline with extraction@4 and summary@2",
        "dnam: 14 runs of the loops, decided anew from what was replied then: nobody is asked.",
    ]
    assert ran.out.splitlines()[0] == "The shadow same knows the log up to #80: 0 calls of offline, $0.0000."
    assert events_of(learned) == before
    ran = dnam("diff", "--shadow", "same", "--data", learned)
    assert (ran.code, "nothing differs" in ran.err) == (0, True)


def test_pauses_are_kept_short_while_it_is_made(learned: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was loaded is left out of the collections meanwhile: with an SDK it is much, and all calls wait for it."""
    frozen: list[bool] = []
    run = Rederivation.run

    async def seen(derivation: Rederivation, *given: Any, **named: Any) -> Manifest:
        frozen.append(gc.get_freeze_count() > 0)
        return await run(derivation, *given, **named)

    monkeypatch.setattr(Rederivation, "run", seen)
    derived(learned, name="steady")
    assert (frozen, gc.get_freeze_count()) == ([True], 0)


def test_another_model_is_asked_once_and_what_is_done_is_not_done_again(learned: Path) -> None:
    derived(learned, "--model", CAREFUL, name="careful")
    shadow = dnam("rederive", "--name", "careful", "--json", "--data", learned).value
    assert (shadow["state"], shadow["calls"], shadow["by"], shadow["changed"]) == ("complete", 14, "careful", [])
    assert dnam("diff", "--shadow", "careful", "--data", learned).code == 1


def test_shadows_are_listed_and_dropped(learned: Path, tmp_path: Path) -> None:
    derived(learned, name="old")
    listed = {each["name"]: each for each in dnam("shadows", "list", "--json", "--data", learned).values}
    assert listed["old"]["upto"] == 80
    assert "old" in dnam("shadows", "--data", learned).out
    assert dnam("shadows", "drop", "old", "--data", learned).code == 2  # there is no terminal to ask in
    assert dnam("shadows", "drop", "old", "--yes", "--json", "--data", learned).value == {
        "dropped": "old",
        "cancelled": 0,
    }
    assert "old" not in dnam("shadows", "--data", learned).out
    assert dnam("shadows", "drop", "old", "--yes", "--data", learned).code == 2
    assert "There are no shadows." in dnam("shadows", "--data", tmp_path).out


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "--name"),
        (("--name", "No Name"), "no name for a shadow"),
        (
            ("--name", "x", "--extraction-prompt", "extraction@99"),
            "no extraction prompt 'extraction@99' here: there are",
        ),
        (("--name", "x", "--summary-prompt", "extraction@4"), "there is no summary prompt"),
        (("--encoder", "voyage", "--model", "offline"), "by --encoder alone"),
        (("--encoder", "voyage", "--name", "No Name"), "no name for a shadow"),
        (("--name", "x", "--merge-policy", "never"), "there are closeness@2, apart@1"),
        (("--name", "x", "--model", "claude-opus-4-5"), "ANTHROPIC_API_KEY"),
        (("--name", "x", "--model", ""), "say which model reads it again"),
        (("--name", "x", "--model", "offline", "--batch"), "leave --batch out"),
        (("--name", "x", "--model", "script:/nowhere.toml"), "cannot be read"),
        (("--name", "x", "--user", "nobody"), "nobody"),
        (("--name", "x", "--guild", "nowhere"), "nowhere"),
        (("--name", "x", "--from", "soon"), "soon"),
    ],
)
def test_what_cannot_be_asked_for_says_why(learned: Path, options: tuple[str, ...], says: str) -> None:
    ran = dnam("rederive", *options, "--data", learned)
    assert (ran.code, says in ran.err) == (2, True), ran.err
    assert not (learned / "shadows" / "x").exists()


def test_where_there_is_no_memory_there_is_nothing_to_make_anew(tmp_path: Path) -> None:
    ran = dnam("rederive", "--name", "x", "--data", tmp_path / "none")
    assert (ran.code, "no memory" in ran.err) == (2, True)


def test_a_shadow_that_was_asked_for_otherwise_is_not_overwritten(learned: Path) -> None:
    derived(learned, "--merge-policy", "apart@1", name="apart")
    ran = dnam("rederive", "--name", "apart", "--model", CAREFUL, "--data", learned)
    assert (ran.code, "asked for in another way" in ran.err) == (2, True)
    derived(learned, name="apart")


def test_one_person_alone(learned: Path) -> None:
    derived(learned, "--model", CAREFUL, "--user", "Marcy", name="marcy")
    ran = dnam("diff", "--shadow", "marcy", "--data", learned)
    assert "User is allergic to wasp stings" in ran.out
    assert "Orchard Road" not in ran.out


def test_from_a_moment_on_what_was_recorded_before_stays(learned: Path) -> None:
    derived(learned, "--model", CAREFUL, "--from", "80", name="later")
    assert dnam("diff", "--shadow", "later", "--data", learned).code == 0


def test_from_the_middle_of_a_decision_on_all_of_that_stays(learned: Path) -> None:
    """As the items that came of a reply, which is recorded ahead of them."""
    _, events = events_of(learned)
    headers = {each.seq: decode_header(each.header) for each in events}
    seq = next(seq for seq, header in headers.items() if header.tag == "extraction.answered" and header.left)
    derived(learned, "--model", CAREFUL, "--from", str(seq), name="from-the-middle")
    assert load(learned, "from-the-middle").asked.since == seq + headers[seq].left
    derived(learned, "--model", CAREFUL, "--from", str(seq), name="from-the-middle")  # it goes on


def test_another_cadence_reads_so_many_messages_at_a_time(learned: Path) -> None:
    derived(learned, "--model", CAREFUL, "--cadence", "50", name="slowly")
    assert (
        load_calls(learned, "slowly") == 4
    )  # of none there are fifty: each person and the channel at the import's end
    derived(learned, "--model", CAREFUL, "--cadence", "5", name="often")
    ran = dnam("diff", "--shadow", "often", "--data", learned)
    assert "User is allergic to wasp stings" in ran.out


def load_calls(path: Path, name: str) -> int:
    return next(int(each["calls"]) for each in dnam("shadows", "--json", "--data", path).values if each["name"] == name)


def test_another_server_s_part_is_none(learned: Path) -> None:
    derived(learned, "--model", CAREFUL, "--guild", "Larkhill Garden Club", name="club")
    assert "Orchard Road" in dnam("diff", "--shadow", "club", "--data", learned).out


async def test_an_encoder_alone_makes_vectors_and_nothing_else(
    learned: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "data"
    shutil.copytree(learned, path)
    async with serving(lambda _: Encodes()) as server:
        monkeypatch.setenv("VOYAGE_API_KEY", server.key)
        monkeypatch.setenv("VOYAGE_BASE_URL", server.url)
        ran = await asyncio.to_thread(dnam, "rederive", "--encoder", "voyage-3.5", "--yes", "--data", path)
        again = await asyncio.to_thread(dnam, "rederive", "--encoder", "voyage-3.5", "--json", "--data", path)
    assert (ran.code, "Everything has a vector by voyage-3.5/" in ran.out) == (0, True), ran.err
    assert again.value["encoder"].startswith("voyage-3.5/")
    assert {each.body["model"] for each in server.requests} == {"voyage-3.5"}
    texts = [text for each in server.requests for text in each.body["input"]]
    assert len(texts) == len(set(texts)) > 40  # each once
    assert (path / "vectors" / "CURRENT").exists()
    ran = await asyncio.to_thread(dnam, "rederive", "--encoder", "none", "--data", path)
    assert (ran.code, "no encoder to make vectors with" in ran.err) == (2, True)


async def test_a_shadow_is_compared_by_the_encoder_that_was_asked_for(
    learned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    derive = "rederive", "--name", "meant", "--encoder", "voyage-3.5", "--model", "offline", "--data", learned
    async with serving(lambda _: Encodes()) as server:
        monkeypatch.setenv("VOYAGE_API_KEY", server.key)
        monkeypatch.setenv("VOYAGE_BASE_URL", server.url)
        ran = await asyncio.to_thread(dnam, *derive)
        assert ran.code == 0, ran.err
        assert {each.body["model"] for each in server.requests} == {"voyage-3.5"}
        assert len([text for each in server.requests for text in each.texts]) > 5
    assert load(learned, "meant").asked.encoder == "voyage-3.5"
    monkeypatch.delenv("VOYAGE_API_KEY")
    ran = await asyncio.to_thread(dnam, "rederive", "--name", "meant", "--data", learned)  # it goes on by the same one
    assert (ran.code, "there is no VOYAGE_API_KEY" in ran.err) == (3, True), ran.err


async def test_an_encoder_that_cannot_be_asked_is_refused_and_leaves_nothing(
    learned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    derive = "rederive", "--name", "meant-not", "--model", "offline", "--data", learned, "--encoder"
    ran = await asyncio.to_thread(dnam, *derive, "voyage")
    assert (ran.code, "there is no VOYAGE_API_KEY" in ran.err) == (3, True), ran.err
    async with serving(lambda _: Fails(400, "there is no such model")) as server:
        monkeypatch.setenv("VOYAGE_API_KEY", server.key)
        monkeypatch.setenv("VOYAGE_BASE_URL", server.url)
        ran = await asyncio.to_thread(dnam, *derive, "bogus")
    assert (ran.code, "bogus" in ran.err) == (3, True), ran.err
    assert not (learned / "shadows" / "meant-not").exists()


async def test_an_encoder_that_is_all_that_was_chosen_makes_vectors_whatever_the_name_is(
    by_haiku: Path, claude: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", claude.key)
    derive = "rederive", "--name", "vectors", "--encoder", "voyage-3.5", "--yes", "--data", by_haiku
    async with serving(lambda _: Encodes()) as server:
        monkeypatch.setenv("VOYAGE_API_KEY", server.key)
        monkeypatch.setenv("VOYAGE_BASE_URL", server.url)
        ran = await asyncio.to_thread(dnam, *derive)
        assert (ran.code, "Everything has a vector by voyage-3.5/" in ran.out) == (0, True), ran.err
        assert "only vectors are made, and no shadow vectors" in ran.err
        assert "say too who reads it all again: --model M" in ran.err
        assert (claude.requests, (by_haiku / "shadows").exists()) == ([], False)
        ran = await asyncio.to_thread(dnam, *derive, "--model", "offline")
        assert (ran.code, load(by_haiku, "vectors").asked.encoder) == (0, "voyage-3.5"), ran.err
        ran = await asyncio.to_thread(dnam, *derive)  # there is a shadow by then
        assert (ran.code, "going on with the shadow vectors, by offline" in ran.err) == (0, True), ran.err


@pytest.fixture
async def claude(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Claude]:
    """Claude's API on loopback, and its key in the environment."""
    async with serving_claude() as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", server.key)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        yield server


async def test_where_the_price_is_not_known_a_ceiling_is_refused_before_anybody_is_asked(
    learned: Path, claude: Claude
) -> None:
    derive = "rederive", "--name", "bogus", "--model", "bogus-model", "--data", learned, "--yes"
    ran = await asyncio.to_thread(dnam, *derive, "--max-cost", "0.000001")
    assert (ran.code, claude.requests) == (2, [])
    assert "the price of bogus-model is not in the table of" in ran.err
    assert "leave --max-cost out" in ran.err
    assert not (learned / "shadows" / "bogus").exists()
    ran = await asyncio.to_thread(dnam, *derive)
    assert (ran.code, "14 calls of bogus-model, cost not known." in ran.out) == (0, True), ran.err
    assert "$" not in ran.out
    assert "cost not known" in dnam("shadows", "--data", learned).out


async def test_a_small_ceiling_is_told_with_all_of_its_digits(learned: Path, claude: Claude) -> None:
    derive = "rederive", "--name", "dear", "--model", "claude-opus-4-5", "--data", learned, "--yes"
    ran = await asyncio.to_thread(dnam, *derive, "--max-cost", "0.003")
    assert (ran.code, "the next call may cost more than is left of $0.003 (--max-cost)" in ran.err) == (3, True)
    assert "so far: what was made stays, and `dnam rederive --name" in ran.err
    assert "goes on, with a higher --max-cost" in ran.err
    assert claude.requests == []


async def test_a_paid_model_s_estimate_is_told_also_where_every_question_is_answered(
    learned: Path, claude: Claude
) -> None:
    derive = "rederive", "--name", "haiku", "--model", "haiku", "--extraction-prompt", "extraction@1", "--data", learned
    ran = await asyncio.to_thread(dnam, *derive)
    assert (ran.code, claude.requests) == (2, [])
    ran = await asyncio.to_thread(dnam, *derive, "--yes")
    assert ran.code == 0, ran.err
    whose, guess = ran.err.splitlines()
    assert whose == "dnam: a new shadow haiku, by claude-haiku-5-5 with extraction@1 and summary@2"
    assert re.fullmatch(
        r"dnam: 14 runs of the loops, 14 calls of the model: about [\d,]+ tokens in and [\d,]+ out, about \$0\.\d{4}, "
        r"\d+ seconds or so\.",
        guess,
    )
    ran = await asyncio.to_thread(dnam, "rederive", "--name", "haiku", "--data", learned)
    assert ran.err.startswith("dnam: going on with the shadow haiku, by claude-haiku-5-5 with extraction@1")


async def test_how_far_it_is_is_told_in_lines_where_no_bar_is_drawn(
    learned: Path, claude: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dnam.cli.progress.SECONDS_BETWEEN_LINES", 0)
    ran = await asyncio.to_thread(
        dnam, "rederive", "--name", "told", "--model", "haiku", "--yes", "--json", "--data", learned
    )
    lines = [line for line in ran.err.splitlines() if line.startswith("dnam: deriving: ")]
    assert [line.split(" runs")[0].split()[-3:] for line in lines] == [[f"{n}", "of", "14"] for n in range(1, 15)]
    cost = Decimal(ran.value["cost_micros"]) / 1_000_000
    assert lines[-1].endswith(f"14 of 14 runs, ${cost:.4f} so far")
    assert cost > 0


async def test_of_batches_it_is_told_how_many_wait_for_each_other(learned: Path, claude: Claude) -> None:
    derive = "rederive", "--name", "batched", "--model", "haiku", "--batch", "--data", learned
    ran = await asyncio.to_thread(dnam, *derive)
    assert (ran.code, claude.batches.made) == (2, [])  # there is no terminal to ask in
    (guess,) = (line for line in ran.err.splitlines() if "runs of the loops" in line)
    assert re.search(
        r"; \d batches at the least, one after another, and more where merges, or what people did in between, are "
        r"waited for; each takes up to a day, mostly less than an hour\.$",
        guess,
    )
    assert "seconds" not in guess
    assert not (learned / "shadows" / "batched").exists()


def test_a_shadow_of_two_models_names_both(by_two: Path) -> None:
    ran = dnam("rederive", "--name", "two", "--data", by_two)
    whose = "a new shadow two, by claude-haiku-5-5 with extraction@4 and claude-opus-4-5 with summary@2"
    assert (ran.code, whose in ran.err) == (2, True), ran.err


@pytest.fixture
def by_two(learned: Path, claude: Claude, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memory for which two paid models are configured."""
    monkeypatch.setenv("DNAM_DURABLE_MODEL", "haiku")
    monkeypatch.setenv("DNAM_SUMMARY_MODEL", "claude-opus-4-5")
    return learned


@pytest.fixture
async def by_haiku(tmp_path: Path, claude: Claude, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The sample, learned from by Haiku; there is no key any more."""
    monkeypatch.setenv("DNAM_DURABLE_MODEL", "haiku")
    monkeypatch.setenv("DNAM_SUMMARY_MODEL", "haiku")
    sample = "import", SAMPLE, "--audience", "guild", "--assistant", "dnam", "--learn", "--yes"
    ran = await asyncio.to_thread(dnam, *sample, "--data", tmp_path / "data")
    assert (ran.code, len(claude.requests) > 10) == (0, True), ran.err
    for name in ("ANTHROPIC_API_KEY", "DNAM_DURABLE_MODEL", "DNAM_SUMMARY_MODEL"):
        monkeypatch.delenv(name)
    claude.requests.clear()
    return tmp_path / "data"


@pytest.mark.parametrize("options", [("--model", "haiku"), ()])
async def test_what_a_paid_model_replied_is_decided_anew_without_a_key(
    by_haiku: Path, claude: Claude, options: tuple[str, ...]
) -> None:
    derive = "rederive", "--name", "apart", *options, "--merge-policy", "apart@1"
    ran = await asyncio.to_thread(dnam, *derive, "--data", by_haiku)
    assert (ran.code, "nobody is asked" in ran.err) == (0, True), ran.err
    assert "0 calls of claude-haiku-" in ran.out
    assert claude.requests == []


async def test_a_key_is_asked_for_where_somebody_is_to_be_asked_and_nothing_is_lost(
    by_haiku: Path, claude: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    derive = "rederive", "--name", "older", "--extraction-prompt", "extraction@1", "--data", by_haiku, "--yes"
    ran = await asyncio.to_thread(dnam, *derive)
    assert (ran.code, "there must be a key: set ANTHROPIC_API_KEY" in ran.err) == (2, True)
    assert not (by_haiku / "shadows" / "older").exists()
    with monkeypatch.context() as unforeseen:
        unforeseen.setattr("dnam.cli.rederiving.is_agreed", lambda *_: True)
        ran = await asyncio.to_thread(dnam, *derive)
    assert (ran.code, "there must be a key: set ANTHROPIC_API_KEY" in ran.err) == (2, True), ran.err
    assert load(by_haiku, "older").state == "under way"
    monkeypatch.setenv("ANTHROPIC_API_KEY", claude.key)
    ran = await asyncio.to_thread(dnam, *derive)
    assert (ran.code, load(by_haiku, "older").state) == (0, "complete"), ran.err
    assert len(claude.requests) == load(by_haiku, "older").calls > 0


async def test_what_came_since_and_needs_no_call_is_gone_on_with_without_a_key(
    by_haiku: Path, claude: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*arguments: str) -> Ran:
        return dnam(*arguments, "--data", by_haiku)

    monkeypatch.setenv("ANTHROPIC_API_KEY", claude.key)
    derive = "rederive", "--name", "opus", "--model", "claude-opus-4-5", "--yes"
    assert (await asyncio.to_thread(run, *derive)).code == 0
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    for text, name in (("likes pears", "rederive"), ("likes plums", "adopt")):
        assert (await asyncio.to_thread(run, "remember", "Marcy", text)).code == 0
        how = ("rederive", "--name", "opus") if name == "rederive" else ("adopt", "opus", "--yes")
        ran = await asyncio.to_thread(run, *how)
        assert ran.code == 0, ran.err
        assert load(by_haiku, "opus").upto > 80


async def test_what_came_since_and_needs_a_call_is_left_by_behind(
    by_haiku: Path, claude: Claude, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*arguments: str) -> Ran:
        return dnam(*arguments, "--data", by_haiku)

    monkeypatch.setenv("ANTHROPIC_API_KEY", claude.key)
    derive = "rederive", "--name", "opus", "--model", "claude-opus-4-5", "--yes"
    assert (await asyncio.to_thread(run, *derive)).code == 0
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    async with Memory.open(by_haiku) as memory:
        await memory.heard("kim", "I prefer tea over coffee.")
    assert (await asyncio.to_thread(run, "learn")).code == 0
    ran = await asyncio.to_thread(run, "adopt", "opus", "--yes")
    assert (ran.code, "there must be a key" in ran.err) == (2, True), ran.err
    assert f"`dnam adopt opus --behind --data {by_haiku}` takes over what the shadow knows" in ran.err
    assert (await asyncio.to_thread(run, "adopt", "opus", "--behind", "--yes")).code == 0


def test_a_no_is_told_to_programs_and_leaves_nothing(learned: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def declined(*_: object) -> None:
        """Somebody said no to what it may cost."""

    monkeypatch.setattr("dnam.cli.rederiving.run_derivation", declined)
    ran = dnam("rederive", "--name", "never", "--json", "--data", learned)
    assert (ran.code, ran.value) == (0, {"done": None, "why": "nothing was asked, and nothing was changed"})
    assert not (learned / "shadows" / "never").exists()


def test_what_was_read_less_after_a_redaction_is_listed_with_what_is_gone(learned: Path, tmp_path: Path) -> None:
    path = Path(shutil.copytree(learned, tmp_path / "data", ignore=shutil.ignore_patterns("shadows")))
    assert dnam("redact", "#28", "--yes", "--data", path).code == 0
    tobi = "  #53  extraction of Tobi, in guild Larkhill Garden Club: without #28\n"
    session = "  #71  summary of discord:channel:1203294940692611078: without #28\n"
    ran = dnam("rederive", "--name", "next", "--data", path)
    listed = "6 runs read less than when they were recorded: what was read then was edited or taken back since.\n"
    assert f"{listed}{tobi}{session}" in ran.out
    assert f"\n\n{listed}{tobi}{session}" in dnam("diff", "--shadow", "next", "--data", path).out
    one = dnam("diff", "--shadow", "next", "Tobi", "--data", path)
    assert (
        one.out
        == f"1 run read less than when it was recorded: what was read then was edited or taken back since.\n{tobi}"
    )
    assert one.code == 0
    value = dnam("diff", "--shadow", "next", "--json", "--data", path).value
    runs = value["less_read"]
    assert [(each["seq"], [of["seq"] for of in each["inputs"]]) for each in runs] == [
        (seq, [28]) for seq in (53, 71, 73, 75, 77, 79)
    ]
    assert dnam("rederive", "--name", "next", "--json", "--data", path).value["less_read"] == runs
    page = dnam("diff", "--shadow", "next", "--html", "-", "--data", path).out
    assert f"<li>{tobi.strip()}</li>" in page
    made = dnam("rederive", "--name", "next", "--json", "--data", path).value
    (shadow,) = dnam("shadows", "list", "--json", "--data", path).values
    assert made == {**shadow, "less_read": runs}, "as `dnam shadows` has it"
    assert [each["run"] for each in shadow["lost"]] == shadow["changed"] == [each["event"] for each in runs]
    table = dnam("shadows", "list", "--data", path).out.splitlines()
    assert table[1][table[0].index("read less") :].split()[0] == "6"
