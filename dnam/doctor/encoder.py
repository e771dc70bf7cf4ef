"""The encoder: whether it can be asked, with one harmless word."""

from dnam.doctor.check import Finding, Patient, skipped, well
from dnam.meaning.encoder import EncoderDown, EncoderError, EncoderMissing
from replay.ring.keyring import NoKeyRing
from replay.store import VECTORS

OTHERWISE = "Until then things are found by their words alone."


async def asked(patient: Patient) -> list[Finding]:
    """A vector of one word. It costs a token of Voyage's, and some seconds where the encoder runs here."""
    from dnam.meaning.encoders import opened

    try:
        async with opened(patient.settings) as encoders:
            if encoders.chosen is None:
                return skipped(
                    "there is no encoder: things are found by their words alone",
                    "Set VOYAGE_API_KEY, or DNAM_ENCODER=local, to find them by their meaning too.",
                )
            await encoders.chosen.encode(["hello"], "query")
            return [*well(f"{encoders.chosen.name} answers"), *_without_room(patient)]
    except EncoderMissing as error:
        return [Finding("wrong", "the encoder is not there", f"{_capital(error)}. {OTHERWISE}")]
    except EncoderDown as error:
        return [Finding("wrong", f"the encoder cannot be reached: {error}", f"Try again later. {OTHERWISE}")]
    except EncoderError as error:
        return [Finding("wrong", f"the encoder is not in order: {error}", f"Change what it names. {OTHERWISE}")]


def _without_room(patient: Patient) -> list[Finding]:
    """Where not all vectors can be in memory."""
    from replay.vectors.vectors import Vectors  # it loads numpy

    vectors = Vectors(patient.data / VECTORS, NoKeyRing("sizes need no key"), writable=False)
    try:
        name = vectors.in_force()
        texts, megabytes = vectors.size(name), -(-vectors.bytes_of(name) // (1 << 20))
    finally:
        vectors.close()
    room = patient.settings.encoder_memory_mb
    if megabytes <= room:
        return []
    what = f"the vectors of {texts:,} texts take {megabytes:,} MB of memory, and may take {room:,}"
    return [
        Finding(
            "doubt",
            what,
            f"Set DNAM_ENCODER_MEMORY_MB={megabytes} or more. Until then nothing is missed, and those of a place that "
            "have no room are opened anew for each question, a thousand in 5 ms.",
        )
    ]


def _capital(error: Exception) -> str:
    text = str(error)
    return text[:1].upper() + text[1:]
