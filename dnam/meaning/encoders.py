"""Which encoder makes vectors: the one place that knows all of them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from dnam.adapters.minilm import MiniLm
from dnam.adapters.voyage.encoder import VOYAGE, Access, Voyage
from dnam.meaning.encoder import Encoder, EncoderMissing
from dnam.settings import Settings

Known = Voyage | MiniLm


def sent_to(settings: Settings) -> str:
    """The model of Voyage's to which texts are sent; empty where none are."""
    wanted = settings.encoder in ("auto", "voyage") and settings.voyage_api_key
    return settings.encoder_model if wanted else ""


class Encoders:
    """The encoder that the settings ask for, and whichever made the vectors that are searched until it is done."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._made: dict[str, Known] = {}
        self.chosen: Encoder | None = self._kept(self._choose())

    def named(self, name: str) -> Encoder | None:
        """The encoder of that name, where it can be asked."""
        model, _, dimensions = name.rpartition("/")
        if name not in self._made and self._settings.voyage_api_key and dimensions.isdecimal() and "@" not in model:
            self._kept(Voyage(self._access(model, int(dimensions))))
        return self._made.get(name)

    async def close(self) -> None:
        """Let go of the connections and of the models."""
        for encoder in self._made.values():
            await encoder.close()

    def _choose(self) -> Known | None:
        settings = self._settings
        if settings.encoder == "local":
            return MiniLm()
        if sent_to(settings):
            return Voyage(self._access(settings.encoder_model, settings.encoder_dimensions))
        if settings.encoder == "voyage":
            raise EncoderMissing("DNAM_ENCODER is voyage, and there is no VOYAGE_API_KEY")
        return None

    def _kept(self, encoder: Known | None) -> Known | None:
        if encoder is not None:
            self._made[encoder.name] = encoder
        return encoder

    def _access(self, model: str, dimensions: int) -> Access:
        settings = self._settings
        return Access(settings.voyage_api_key, model, dimensions, settings.voyage_base_url or VOYAGE)


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Encoders]:
    """The encoders, for as long as the `async with` lasts. EncoderMissing where the chosen one cannot be had."""
    encoders = Encoders(settings)
    try:
        yield encoders
    finally:
        await encoders.close()
