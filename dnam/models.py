"""Which model answers and learns: the one place that knows all of them.

    async with opened(memory, note) as model:      # the model that the settings ask for, ready, within its limits
        assistant = Assistant(memory, model)

A model is made when it is first asked: preparing a language's tables takes a tenth of a second and loading Claude's SDK
two, and most commands ask nothing.
"""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cached_property

from dnam.access import once_written
from dnam.adapters.anthropic.claude import ANTHROPIC, Access, Claude
from dnam.budget import Budgeted
from dnam.languages import Language
from dnam.memory import Memory
from dnam.model import Ask, Hear, Model, Reply, unheard
from dnam.prices import prices
from dnam.settings import Settings
from projections.decisions.draft import Origin
from projections.decisions.resolve import ResolveRequest, resolve
from projections.models import resolved
from projections.rows import Rows

Tell = Callable[[str], None]
UNASKED = (
    "ANTHROPIC_BASE_URL is set and ANTHROPIC_API_KEY is not: nobody is asked there, the offline model answers and "
    "learns. A server that needs no key takes any."
)
"""A server is told what people said once somebody gave it a key, and not before."""


def unasked(settings: Settings) -> str:
    """Why a server of the operator's is not asked; empty where it is, or where there is none."""
    return UNASKED if settings.anthropic_base_url and not settings.anthropic_api_key else ""


def choose(settings: Settings, language: Language) -> Model:
    """The model that the settings ask for: Claude with a key, the offline model without one."""
    if settings.anthropic_api_key:
        return Claude(access_of(settings))
    return OfflineWhenAsked(language)


def sent_to(settings: Settings) -> tuple[str, ...]:
    """The models of Claude's that `choose` has asked, to which messages are sent; none where there is no key."""
    if not settings.anthropic_api_key:
        return ()
    return tuple(sorted({settings.answer_model, settings.summary_model, settings.durable_model}))


def access_of(settings: Settings) -> Access:
    """How Claude is reached."""
    return Access(
        settings.anthropic_api_key,
        settings.anthropic_base_url or ANTHROPIC,
        settings.answer_timeout_seconds,
        settings.model_timeout_seconds,
    )


@asynccontextmanager
async def opened(memory: Memory, tell: Tell) -> AsyncIterator[Model]:
    """The model for a memory, ready to be asked and within its limits, for as long as the `async with` lasts.

    `tell` hears what people should know of it: a bot's is its log.
    """
    model = choose(memory.settings, memory.language)
    if not isinstance(model, Claude):
        if why := unasked(memory.settings):
            tell(why)
        yield model
        return
    try:
        await model.prepare()
        for each in await notices(memory):
            tell(each)
        async with once_written(memory, lambda: _noting(memory)):
            yield Budgeted(model, memory)
    finally:
        await model.close()


async def notices(memory: Memory) -> list[str]:
    """What there is to know of Claude's models before they are asked."""
    stands = in_use(memory.settings)
    return await memory.look(lambda rows: [*_changed(rows, stands), *unpriced(memory.settings, stands)])


@asynccontextmanager
async def _noting(memory: Memory) -> AsyncIterator[None]:
    """What aliases stand for now is recorded, once that has been told."""
    stands = in_use(memory.settings)
    request = ResolveRequest(aliases_in(stands), memory.now(), Origin(seed=os.urandom(32), now=memory.now()))
    await memory.record(lambda rows: resolve(rows, request))
    yield


def in_use(settings: Settings) -> dict[str, str]:
    """The models that the settings name, and what each name stands for. Loads Claude's SDK."""
    from dnam.adapters.anthropic.aliases import resolve as model_of

    names = (settings.answer_model, settings.summary_model, settings.durable_model)
    return {name: model_of(name) for name in names}


def aliases_in(stands: dict[str, str]) -> dict[str, str]:
    """Those of the names that are not a model's own."""
    return {name: model for name, model in stands.items() if name != model}


def _changed(rows: Rows, stands: dict[str, str]) -> list[str]:
    """The aliases that stand for another model than the last recorded one."""
    last = {alias: resolved(rows, alias) for alias in aliases_in(stands)}
    return [
        f"{alias} now stands for {stands[alias]}; until now it was {row.model}. "
        "`dnam rederive` shows what the new model would have remembered."
        for alias, row in last.items()
        if row is not None and row.model != stands[alias]
    ]


def unpriced(settings: Settings, stands: dict[str, str]) -> list[str]:
    """The models whose calls count as free, where a limit on cost would not hold."""
    table = prices()
    unknown = sorted({model for model in stands.values() if table.price_of(model) is None})
    if not unknown or not settings.max_cost_per_day:
        return []
    names = ", ".join(unknown)
    return [
        f"the price of {names} is not in the table of {table.as_of}: DNAM_MAX_COST_PER_DAY does not count its calls."
    ]


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
