"""The whole of it: the chapters one after the other, and what has to be true afterwards."""

from pathlib import Path

from tests.scenario import ending
from tests.scenario.chapters import CHAPTERS
from tests.scenario.stage import stage
from tests.scenario.transcript import Transcript


async def play(folder: Path, transcript: Transcript, seed: int = 1) -> None:
    """Play it in an empty folder. AssertionError with what went wrong."""
    async with stage(folder, transcript, seed) as made:
        for title, chapter in CHAPTERS.items():
            transcript.heading(title)
            await chapter(made)
        transcript.heading("Afterwards")
        await made.quiet()
        await made.end()
        await ending.check(made)
        transcript.mark("all is well", f"{transcript.messages} messages")
