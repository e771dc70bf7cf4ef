"""The long scenario, from beginning to end; and that its checks can fail."""

import io
import sys
from pathlib import Path

import pytest
from aiohttp import ClientSession

from dnam.memory import Memory
from dnam.unwritten import WAITS, WRITTEN
from tests.dnam.scripted import settings
from tests.scenario.ending import log_agrees
from tests.scenario.process import Bot, bare
from tests.scenario.readers import Prompt, Reader, leak
from tests.scenario.stage import stage
from tests.scenario.story import play
from tests.scenario.transcript import Transcript


async def test_a_long_day_in_discord(tmp_path: Path) -> None:
    page = io.StringIO()
    transcript = Transcript(page)
    try:
        await play(tmp_path, transcript)
    except AssertionError as error:
        error.add_note(page.getvalue()[-6000:])
        raise
    assert transcript.messages > 200
    shown = page.getvalue()
    assert "a bot of 20 lines, which loads the extension" in shown
    assert all(each in shown for each in ("── killed ──", "── dropped ──", "── told to end ──", "── all is well ──"))


KIM_HERE, KIM_DIRECT = Reader("Kim", "garden"), Reader("Kim", "direct")
KIM_CELLAR, KIM_DECK = Reader("Kim", "cellar"), Reader("Kim", "harbour")


@pytest.mark.parametrize(
    ("reader", "words", "narrowed", "leaks"),
    [
        (KIM_HERE, "marigold lavender thyme", False, False),
        (KIM_HERE, "marigold velvet", False, True),
        (KIM_HERE, "anchor", False, True),
        (KIM_HERE, "Cider", False, True),
        (KIM_CELLAR, "turnip cider marigold", False, False),
        (KIM_CELLAR, "velvet", False, True),
        (KIM_DIRECT, "velvet marigold anchor turnip lantern", False, False),
        (KIM_DIRECT, "velvet lavender", False, True),
        (KIM_DECK, "anchor lantern", False, False),
        (KIM_DECK, "anchor lantern", True, True),
        (None, "linen", False, False),
        (None, "linen velvet", False, True),
        (None, "nothing of theirs", False, False),
    ],
)
def test_a_prompt_leaks_what_its_reader_may_not_read(
    reader: Reader | None, words: str, narrowed: bool, leaks: bool
) -> None:
    kind = "extraction" if reader is None else "answer"
    assert bool(leak(Prompt(kind, f"they said: {words}", reader, narrowed))) is leaks


def test_an_answer_that_nobody_asked_for_is_noticed() -> None:
    with pytest.raises(AssertionError, match="nobody asked for this"):
        leak(Prompt("answer", "hello", None, False))


async def test_what_the_log_and_discord_do_not_agree_on_is_named(tmp_path: Path) -> None:
    async with (
        stage(tmp_path, Transcript(None)) as made,
        Memory.open(tmp_path / "data", settings=settings()) as memory,
        ClientSession(headers={"Authorization": f"Bot {made.world.token}"}) as discord,
    ):
        channel = made.cast.general
        where = f"{made.world.api_url}/channels/{channel.id}/messages"
        async with discord.post(where, json={"content": "out of the blue"}) as posted:
            assert posted.status == 200
        with pytest.raises(AssertionError, match=r"delivered by no turn in the log: \[<Marcy: 'out of the blue'>\]"):
            log_agrees(made, memory)
        await made.asks(made.cast.kim, channel, "which tea was it?")
        with pytest.raises(AssertionError, match=r"not one turn in the log.*which tea was it\?.*\(0, 0\)"):
            log_agrees(made, memory)


@pytest.mark.parametrize(
    ("said", "waits"),
    [((), False), ((f"{WAITS}: the disk is full",), True), ((WAITS, WRITTEN), False), ((WAITS, WRITTEN, WAITS), True)],
)
async def test_a_life_of_the_bot_waits_by_its_own_words(tmp_path: Path, said: tuple[str, ...], waits: bool) -> None:
    lives = list[Bot]()
    for words in ([WAITS], said):
        life = await Bot.started(
            bare(), tmp_path, lambda: None, [sys.executable, "-c", f"print({chr(10).join(words)!r})"]
        )
        assert await life.ended() == 0
        lives.append(life)
    assert lives[-1].waits is waits
