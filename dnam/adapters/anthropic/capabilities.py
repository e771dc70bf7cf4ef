"""What a model can do, as the Models API says: nothing is known of a model by its name.

A compatible server may have no Models API. Then a model is asked in the plainest way, and what it replies is read
tolerantly.
"""

from typing import TYPE_CHECKING, NamedTuple

from dnam.adapters.anthropic.faults import MALFORMED

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from anthropic.types import ModelCapabilities, ModelInfo

MOST_SECONDS = 5.0
"""How long is waited for what a model can do, before it is asked without knowing."""


class Capabilities(NamedTuple):
    """Whether replies can be held to a JSON schema, how much effort can be asked for, and the most tokens of a reply
    (0: unknown). No page says whether tools can be called: that is so until they were refused.
    """

    schemas: bool = False
    efforts: frozenset[str] = frozenset()
    most_tokens: int = 0
    tools: bool = True


PLAIN = Capabilities()


async def capabilities_of(client: "AsyncAnthropic", model: str) -> Capabilities | None:
    """What the API says of a model; PLAIN where it knows no such page, None where it could not be asked just now."""
    from anthropic import APIError, APIStatusError

    try:
        return read(await client.models.retrieve(model, timeout=MOST_SECONDS))
    except APIStatusError as error:
        return PLAIN if error.status_code in (404, 405, 501) else None
    except APIError:
        return None
    except MALFORMED:  # a page of another make
        return PLAIN


def read(info: "ModelInfo") -> Capabilities:
    """The page of a model, as far as it matters here."""
    can = info.capabilities
    if can is None:
        return Capabilities(most_tokens=info.max_tokens or 0)
    return Capabilities(can.structured_outputs.supported, _efforts(can), info.max_tokens or 0)


def _efforts(can: "ModelCapabilities") -> frozenset[str]:
    levels = {"low": can.effort.low, "medium": can.effort.medium, "high": can.effort.high}
    return frozenset(name for name, level in levels.items() if can.effort.supported and level.supported)
