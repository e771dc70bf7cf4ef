"""Asking an encoder, and keeping what it took: `dnam costs` shows it with what models took.

What was paid is recorded also where the answer was of no use, or where whoever it was for is gone. Where the log does
not take it, the vectors are used all the same, and the bill waits behind what was said (`Unwritten`): no answer waits
for it, and the day's limit counts it meanwhile.
"""

from collections.abc import Sequence
from typing import NamedTuple

from dnam.access import Access
from dnam.meaning.encoder import Encoded, Encoder, EncoderError
from projections.decisions.encoding import EncodingRequest, record_encoding
from projections.events.upkeep import EncodedKind
from projections.events.values import ModelUse
from projections.ids import NOBODY, EventId, Handle
from replay.errors import ErasedMeanwhile


class Purpose(NamedTuple):
    """What texts are encoded for: whether they are looked for, for whom, and which events set it off."""

    kind: EncodedKind = "document"
    person: Handle = NOBODY
    causes: tuple[EventId, ...] = ()


KEEPING = Purpose()
"""What is to be found later, of whoever."""


async def encoded(memory: Access, encoder: Encoder, texts: Sequence[str], purpose: Purpose = KEEPING) -> Encoded:
    """What the encoder makes of the texts. It raises whatever the encoder does."""
    try:
        made = await encoder.encode(texts, purpose.kind)
    except EncoderError as error:
        await _keep(memory, error.use, len(texts), purpose, failed=True)
        raise
    await _keep(memory, made.use, len(texts), purpose, failed=False)
    return made


async def _keep(memory: Access, use: ModelUse | None, texts: int, purpose: Purpose, *, failed: bool) -> None:
    if use is None:
        return
    request = EncodingRequest(
        use, purpose.kind, texts, memory.now(), memory.origin(), purpose.person, purpose.causes, failed
    )
    memory.unbilled.paid(use.cost_micros, request.said)

    async def step() -> None:
        try:
            await memory.record(lambda rows: record_encoding(rows, request))
        except ErasedMeanwhile:
            nobodys = request._replace(person=NOBODY, causes=())
            await memory.record(lambda rows: record_encoding(rows, nobodys))

    await memory.write("bill", step)
