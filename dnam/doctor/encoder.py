"""The encoder: whether it can be asked, with one harmless word."""

from dnam.doctor.check import Finding, Patient, skipped, well
from dnam.encoder import EncoderDown, EncoderError, EncoderMissing

OTHERWISE = "Until then things are found by their words alone."


async def asked(patient: Patient) -> list[Finding]:
    """A vector of one word. It costs a token of Voyage's, and some seconds where the encoder runs here."""
    from dnam.encoders import opened

    try:
        async with opened(patient.settings) as encoders:
            if encoders.chosen is None:
                return skipped(
                    "there is no encoder: things are found by their words alone",
                    "Set VOYAGE_API_KEY, or DNAM_ENCODER=local, to find them by their meaning too.",
                )
            await encoders.chosen.encode(["hello"], "query")
            return well(f"{encoders.chosen.name} answers")
    except EncoderMissing as error:
        return [Finding("wrong", "the encoder is not there", f"{_capital(error)}. {OTHERWISE}")]
    except EncoderDown as error:
        return [Finding("wrong", f"the encoder cannot be reached: {error}", f"Try again later. {OTHERWISE}")]
    except EncoderError as error:
        return [Finding("wrong", f"the encoder is not in order: {error}", f"Change what it names. {OTHERWISE}")]


def _capital(error: Exception) -> str:
    text = str(error)
    return text[:1].upper() + text[1:]
