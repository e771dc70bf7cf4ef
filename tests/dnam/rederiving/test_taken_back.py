"""What is taken back in the live memory while it is derived anew is shown to no model from then on, be it asked at once
or by batches, and the shadow ends as one that is made afterwards.
"""

import asyncio
import shutil
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from dnam.adapters.anthropic.claude import Access, Claude
from dnam.loops.merge import texts_of
from dnam.meaning.encoder import Encoded, EncoderError
from dnam.model import ExtractionInputs
from dnam.rederiving.watch import TakenBack, Watch
from dnam.shadows.manifest import Asked, Manifest, load
from projections.decisions.meet import Account
from projections.decisions.place import PlaceSeen
from projections.events.upkeep import EncodedKind
from projections.lookup import sessions
from replay.engine import Engine
from replay.shadows.shadow import shadow_engine
from replay.units import Sheaf
from tests.dnam.claude.batch_stage import office
from tests.dnam.cli.memories import process
from tests.dnam.rederiving.crowd import chat, replies
from tests.dnam.rederiving.elsewhere import told_of
from tests.dnam.rederiving.test_rederiving import OTHER
from tests.dnam.rederiving.village import ASKED as SAME
from tests.dnam.rederiving.village import STAFF, Village, both, derive, reader, village
from tests.loopback.messages import Fails, Reply, Request, serving
from tests.loopback.messages.offline import inputs_of

HAIKU = "claude-haiku-4-5"
ASKED = Asked(HAIKU, HAIKU, "extraction@4", "summary@2", "closeness@2")
WORD = "zyzzyva"
MAPS = "old maps"
HERS = PlaceSeen("discord", "", "direct", "", "direct", partner=Account("discord", "ada", "Ada"))
AGAIN = "They enjoys: "
"""What each summary puts behind the one before."""


async def ada_is_heard(there: Village) -> None:
    """Ada says a word in a channel, and other things elsewhere; she is learned from, and all of it is summed up."""
    await chat(there, 1)
    await there.say("ada", f"I like {WORD} tea")
    await there.say("ada", "I like quokka pie")
    await there.say("ada", "I like mild cheese", STAFF)
    await there.say("ada", f"I like {MAPS}", HERS)
    await there.learn("ada")
    await there.summarise()
    await there.summarise(STAFF)
    for card in await there.memory.look(sessions):
        if card.audience.kind == "direct":
            await there.assistant.summarise(card.session, card.audience, card.place.person)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory in which Ada says a word in a channel, and other things after it, which every test has a copy of."""
    path = tmp_path_factory.mktemp("made") / "data"

    async def tell() -> None:
        async with village(path) as there:
            await ada_is_heard(there)
            await there.say("kim", "I like a last word")

    asyncio.run(tell())
    return path


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "data"))


def happens(path: Path, *command: str) -> None:
    """By another process, which follows it in the shadows before it ends."""
    with process(*command, "--data", path) as running:
        _, told = running.communicate(timeout=60)
    assert running.returncode == 0, told


def redact(path: Path, word: str = WORD) -> None:
    happens(path, "redact", f"#{_seq_of(path, word)}", "--yes")


def opt_out(path: Path) -> None:
    happens(path, "opt-out", "discord:ada")


def _seq_of(path: Path, word: str) -> int:
    script = f"from tests.dnam.rederiving.elsewhere import seq_of; print(seq_of({str(path)!r}, {word!r}))"
    with process(code=script) as running:  # LMDB opens a file once in a process
        said, _ = running.communicate(timeout=60)
    return int(said)


def held(path: Path, word: str, name: str = "next") -> list[str]:
    """The tags of what holds a word in a shadow."""
    with Engine.open(path, writable=False) as live, shadow_engine(path, name, beside=live) as shadow:
        return [tag for _, tag in told_of(shadow, word)]


def ends(path: Path, name: str) -> tuple[list[str], list[str]]:
    """What the items of a shadow say, and its summaries, be they made in one or in steps."""
    there = both(path, name)[1]
    items = [f"{item.owner.hex()} {item.compartment} {item.text} {item.status}" for item in there["items"].values()]
    return sorted(items), sorted(text.replace(AGAIN, "") for text, _, _ in there["summaries"].values())


class Asks:
    """What was asked at once, one question after the other, before and behind something that happens with one."""

    def __init__(self, number: int, happening: Callable[[], None]) -> None:
        self._number = number
        self._happening = happening
        self.before: list[Request] = []
        self.behind: list[Request] = []

    def hear(self, request: Request) -> None:
        if len(self.before) == self._number:
            self.behind.append(request)
            return
        self.before.append(request)
        if len(self.before) == self._number:
            self._happening()


async def derived_while(path: Path, asks: Asks) -> None:
    """Derive it, and another shadow once that is done."""
    async with serving(replies()) as server:
        model = Claude(Access(server.key, server.url))
        server.heard = asks.hear
        await derive(path, model, "next", ASKED, at_once=1)
        server.heard = lambda _: None
        await derive(path, model, "fresh", ASKED)
        await model.close()


@pytest.mark.parametrize("number", [1, 6, 9, 10, 11, 12, 13])
async def test_a_model_that_is_asked_at_once_is_not_shown_what_was_redacted(path: Path, number: int) -> None:
    asks = Asks(number, lambda: redact(path))
    await derived_while(path, asks)
    assert asks.behind
    assert not [each.prompt for each in asks.behind if WORD in each.prompt]
    assert held(path, WORD) == []
    assert ends(path, "next") == ends(path, "fresh")
    assert "quokka pie" in str(ends(path, "next"))


async def test_what_stays_the_same_is_asked_once(path: Path) -> None:
    asks = Asks(4, lambda: redact(path))
    await derived_while(path, asks)
    assert not {each.prompt for each in asks.before} & {each.prompt for each in asks.behind}


def say(path: Path, who: str, *texts: str, learn: bool = False) -> None:
    """Somebody says something there, in another process; with `learn` they are learned from behind each of it."""
    script = f"from tests.dnam.rederiving.elsewhere import said; said({str(path)!r}, {who!r}, {texts!r}, {learn!r})"
    with process(code=script) as running:
        assert running.wait(60) == 0


async def test_who_says_more_and_takes_that_back_does_not_keep_it_from_ending(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks, walked, new = Asks(1, lambda: say(path, "kim", "I like fresh words")), list[int](), "fresh words"
    acts = {3: redact, 5: lambda path: redact(path, new)}

    class Watched(Watch):
        def __init__(self, live: Engine, upto: int, seen: int) -> None:
            super().__init__(live, upto, seen)
            walked.append(upto)

    monkeypatch.setattr("dnam.rederiving.rederivation.Watch", Watched)
    async with serving(replies()) as server:
        model = Claude(Access(server.key, server.url))

        def hear(request: Request) -> None:
            asks.hear(request)
            acts.get(len(server.requests), lambda _: None)(path)

        server.heard = hear
        await derive(path, model, "next", ASKED, at_once=1)
        await model.close()
    first, again, *others = walked
    assert first == again
    assert len(others) == 1
    assert others[0] > again, "it has caught up"
    assert held(path, new) == held(path, WORD) == []


async def test_a_question_that_failed_is_not_sent_again_with_what_was_redacted(path: Path) -> None:
    good, told = replies(), list[Request]()

    def fails(request: Request) -> Reply:
        if WORD not in request.prompt or told:
            return good(request)
        told.append(request)
        redact(path)
        return Fails(529, "overloaded_error")

    async with serving(fails) as server:
        model = Claude(Access(server.key, server.url))
        await derive(path, model, "next", ASKED, at_once=1)
        await model.close()
        assert told == [each for each in server.requests if WORD in each.prompt]


@pytest.mark.parametrize("number", [1, 6])
async def test_nothing_is_derived_any_more_of_who_opted_out(path: Path, number: int) -> None:
    asks = Asks(number, lambda: opt_out(path))
    await derived_while(path, asks)
    inputs = [next(inputs_of(each.prompt)) for each in asks.behind]
    assert inputs
    assert not [each for each in inputs if isinstance(each, ExtractionInputs) and each.user == "Ada"]
    assert not [each.prompt for each in asks.behind if MAPS in each.prompt], "nor of her direct messages"
    fresh = [set(each) for each in ends(path, "fresh")]
    assert all(each <= set(there) for each, there in zip(fresh, ends(path, "next"), strict=True))


async def test_what_is_said_and_taken_back_behind_the_walk_ends_nothing(path: Path) -> None:
    with Engine.open(path, writable=False) as live:
        size = live.head().size
        watch = Watch(live, size - 3, size)
        watch.refuse()
        await asyncio.to_thread(redact, path, "last word")
        watch.refuse()
        assert not watch.is_over
        sees = Watch(live, size - 3, live.head().size)
        await asyncio.to_thread(redact, path, MAPS)
        for each in (watch, watch, sees):
            with pytest.raises(TakenBack):
                each.refuse()
        assert watch.is_over


@pytest.mark.parametrize("command", [("opt-out", "discord:ada"), ("erase", "ada", "--yes")])
async def test_who_opts_out_or_is_erased_ends_it(path: Path, command: Sequence[str]) -> None:
    with Engine.open(path, writable=False) as live:
        watch = Watch(live, live.head().size, live.head().size)
        await asyncio.to_thread(happens, path, *command)
        with pytest.raises(TakenBack):
            watch.refuse()


@pytest.mark.parametrize("asked", [SAME, OTHER], ids=["decided anew", "asked"])
def test_what_the_walk_had_read_by_then_does_not_come_back(
    path: Path, monkeypatch: pytest.MonkeyPatch, asked: Asked
) -> None:
    had_read: list[Sheaf] = []

    def read_before(reading: Iterator[Sheaf]) -> list[Sheaf]:
        found = list(islice(reading, 4))
        if not had_read and WORD in str(found):
            had_read.extend(found)
            redact(path)
        return found

    monkeypatch.setattr("dnam.rederiving.walk._next_of", read_before)

    def model() -> Any:
        return reader() if asked is SAME else reader("enjoys", name="other")

    asyncio.run(derive(path, model(), asked=asked))
    assert had_read
    assert held(path, WORD) == []
    asyncio.run(derive(path, model(), "fresh", asked))
    assert ends(path, "next") == ends(path, "fresh")


class Comparing:
    """An encoder that keeps what it was shown, and fails: words decide then."""

    name = "comparing"

    def __init__(self) -> None:
        self.shown: list[str] = []

    async def encode(self, texts: Sequence[str], kind: EncodedKind = "document") -> Encoded:
        self.shown += texts
        raise EncoderError("it cannot")


async def test_no_encoder_is_shown_what_was_redacted(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, encoder = list[tuple[str, ...]](), Comparing()

    def found_before(*asked: Any) -> tuple[str, ...]:
        texts = texts_of(*asked)
        if WORD in str(texts) and not found:
            found.append(texts)
            redact(path)
        return texts

    monkeypatch.setattr("dnam.rederiving.runs.texts_of", found_before)
    await derive(path, reader("enjoys", name="other"), asked=OTHER, encoder=encoder)
    assert found
    assert encoder.shown
    assert not [each for each in encoder.shown if WORD in each]
    assert held(path, WORD) == []


# -- batches -------------------------------------------------------------------------------------------------------


async def batched(path: Path, tmp_path: Path, number: int, happening: Callable[[Path], None]) -> tuple[Any, set[str]]:
    """Derived by batches, and something happens as the n-th one is waited for; the desk, and what was sent by then."""
    async with office(tmp_path, replies()) as desk:
        desk.api.takes_seconds = 60.0
        sent: set[str] = set()

        async def meanwhile() -> None:
            if len(desk.api.made) == number and not sent:
                sent.update(desk.api.asked())
                await asyncio.to_thread(happening, path)

        desk.meanwhile = meanwhile
        model = desk.run()
        await model.prepare()
        await derive(path, model, "next", ASKED, send=model.send)
        desk.meanwhile = None
        at_once = Claude(Access(desk.server.key, desk.server.url))
        await derive(path, at_once, "fresh", ASKED)
        await at_once.close()
        return desk, sent


def prompts(desk: Any, sent: set[str]) -> list[str]:
    """What was asked in batches, but for these."""
    asked = (each for batch in desk.api.made for each in batch.requests)
    return [str(each["params"]["messages"]) for each in asked if each["custom_id"] not in sent]


@pytest.mark.parametrize("number", [1, 2, 3])
async def test_no_batch_is_sent_with_what_was_redacted(path: Path, tmp_path: Path, number: int) -> None:
    desk, sent = await batched(path, tmp_path, number, redact)
    assert sent
    assert prompts(desk, sent)
    assert not [each for each in prompts(desk, sent) if WORD in each]
    assert len(desk.api.asked()) == len(set(desk.api.asked())), "nothing is paid for twice"
    assert [each for each in desk.told if "cannot be called back" in each]
    assert held(path, WORD) == []
    assert ends(path, "next") == ends(path, "fresh")


async def test_no_batch_is_sent_with_the_talk_of_who_opted_out(path: Path, tmp_path: Path) -> None:
    desk, sent = await batched(path, tmp_path, 1, opt_out)
    assert prompts(desk, sent)
    assert not [each for each in prompts(desk, sent) if MAPS in each or "'user': 'Ada'" in each]


# -- afterwards ----------------------------------------------------------------------------------------------------


async def test_a_shadow_that_is_caught_up_has_the_whole_summary(path: Path) -> None:
    async def deriving(name: str = "next") -> tuple[Manifest, int]:
        model = reader("enjoys", name="other")
        return await derive(path, model, name, OTHER), len(model.asks)

    await deriving()
    await asyncio.to_thread(redact, path)
    caught_up, asked = await deriving()
    assert (caught_up.state, asked) == ("complete", 1)
    assert (await deriving())[1] == 0
    assert load(path, "next").upto == caught_up.upto
    await deriving("fresh")
    assert ends(path, "next") == ends(path, "fresh")
