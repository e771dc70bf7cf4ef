"""The model that a derivation asks: at once, or by batches. A key is needed where it is asked, and not before: what was
replied then may be all that is wanted.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from dnam.adapters.script import PREFIX, ScriptModel, read_script, script_of
from dnam.errors import NoKey
from dnam.failures import Tell
from dnam.languages import load
from dnam.model import Ask, Hear, Model, Reply, unheard
from dnam.models import OfflineWhenAsked, access_of
from dnam.rederiving.options import OFFLINE
from dnam.rederiving.traffic import Send
from dnam.settings import Settings
from dnam.shadows.manifest import Manifest
from projections.errors import BadRequest
from replay.ring.file import FileRingStore
from replay.ring.keyring import KeyRing
from replay.shadows.shadow import shadow_folder

BOOK = "batches.json"
"""What was sent in batches, in the shadow's folder: ids, digests and counts."""


class Asking(NamedTuple):
    """A model; with batches, what sends the questions that were gathered."""

    model: Model
    send: Send | None = None


class WithoutKey:
    """Claude, where there is no key: it can be told what it replied before, and cannot be asked."""

    name = "claude"
    version = ""
    paid = True

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:  # noqa: ARG002 - nothing is heard
        """NoKey."""
        raise NoKey(ask.model)


@asynccontextmanager
async def asking(data: Path, settings: Settings, manifest: Manifest, tell: Tell) -> AsyncIterator[Asking]:
    """The model of a shadow, ready to be asked for as long as the `async with` lasts. BadRequest where it cannot be."""
    asked = manifest.asked
    if asked.batch and (asked.model == OFFLINE or asked.model.startswith(PREFIX)):
        raise BadRequest(f"{asked.model} is asked at once: leave --batch out")
    if asked.model == OFFLINE:
        yield Asking(OfflineWhenAsked(load(settings.language)))
        return
    script = script_of(asked.model)
    if script is not None:
        yield Asking(ScriptModel(read_script(script)))
        return
    if not settings.anthropic_api_key:
        yield Asking(WithoutKey())
        return
    if asked.batch:
        async with _batches(data, settings, manifest, tell) as found:
            yield found
        return
    from dnam.adapters.anthropic.claude import Claude

    model = Claude(access_of(settings))
    try:
        await model.prepare()
        yield Asking(model)
    finally:
        await model.close()


@asynccontextmanager
async def _batches(data: Path, settings: Settings, manifest: Manifest, tell: Tell) -> AsyncIterator[Asking]:
    from dnam.adapters.anthropic.batches import Batches

    folder = shadow_folder(data, manifest.name)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    model = Batches(access_of(settings), folder / BOOK, key=_key(data, manifest.name), tell=tell)
    try:
        await model.prepare()
        yield Asking(model, model.send)
    finally:
        await model.close()


def _key(data: Path, name: str) -> bytes:
    """By this the digests of questions say nothing to others."""
    ring = KeyRing.open(FileRingStore(data / "keys"))
    try:
        return ring.keyed_hash("batches", name)
    finally:
        ring.close()
