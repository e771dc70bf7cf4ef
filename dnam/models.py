"""Which model answers and learns: the one place that knows all of them.

A model is made when it is first asked: preparing a language's tables takes a tenth of a second, and most commands ask
nothing.
"""

from functools import cached_property

from dnam.languages import Language
from dnam.model import Ask, Hear, Model, Reply, unheard
from dnam.settings import Settings

NO_CLAUDE_YET = (
    "ANTHROPIC_API_KEY is set, but talking with Claude comes with a later version: the offline model answers."
)


def choose(settings: Settings, language: Language) -> Model:  # noqa: ARG001 - the key chooses, in a later version
    """The model that the settings ask for, as far as this version has it; `notice` says how far that is."""
    return OfflineWhenAsked(language)


def notice(settings: Settings) -> str:
    """What people should know of the choice; empty when it is the one they expect."""
    return NO_CLAUDE_YET if settings.anthropic_api_key else ""


class OfflineWhenAsked:
    """The offline model of a language, made when it is needed."""

    def __init__(self, language: Language) -> None:
        self._language = language

    @cached_property
    def _made(self) -> Model:
        from dnam.adapters.offline import OfflineModel

        return OfflineModel(self._language)

    @property
    def name(self) -> str:
        return "offline"

    @property
    def version(self) -> str:
        return self._made.version

    @property
    def paid(self) -> bool:
        return False

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:
        """What the model replies."""
        return await self._made.ask(ask, hear)
