"""A derivation ends, though somebody else never stops writing."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dnam.rederiving.rederivation import CATCHING_UP, Rederivation
from tests.dnam.cli.test_chatting import environment
from tests.dnam.rederiving.village import derive, reader, talk, village

CHAT = (sys.executable, "-m", "dnam", "chat", "--as", "zoe")


def say_hello(data: Path) -> None:
    subprocess.run([*CHAT, "--data", str(data)], input=b"hello\n", env=environment(), check=True)


async def test_who_goes_on_writing_does_not_keep_it_from_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with village(tmp_path) as there:
        await talk(there)
    walks, once = 0, Rederivation._once

    async def talked_over(self: Rederivation, *given: Any) -> None:
        nonlocal walks
        await once(self, *given)
        walks += 1
        assert walks <= 1 + CATCHING_UP
        await asyncio.to_thread(say_hello, tmp_path)

    monkeypatch.setattr(Rederivation, "_once", talked_over)
    done = await derive(tmp_path, reader("enjoys"))
    assert (done.state, walks) == ("complete", 1 + CATCHING_UP)
