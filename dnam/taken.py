"""What calls of a model took: as the reply that came of one, as the call that an event holds, and of several in all."""

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from dnam.model import Reply
from projections.events.values import ModelUse

T = TypeVar("T", Reply, ModelUse)


def reply_of(text: str, use: ModelUse) -> Reply:
    """The reply that an event holds, with what it took."""
    return msgspec.convert(msgspec.structs.asdict(use) | {"text": text}, Reply)


def call_of(spent: Reply) -> ModelUse:
    """What a reply took, and what was asked as far as it was noted."""
    return ModelUse(
        model=spent.model,
        version=spent.version,
        prompt=spent.prompt,
        prompt_digest=spent.prompt_digest,
        tokens_in=spent.tokens_in,
        tokens_out=spent.tokens_out,
        tokens_cached=spent.tokens_cached,
        latency_ms=spent.latency_ms,
        cost_micros=spent.cost_micros,
        stop=spent.stop,
    )


def added(one: T, others: Sequence[T]) -> T:
    """This one, with what the others took besides."""
    every = [one]
    every += others
    return msgspec.structs.replace(
        one,
        tokens_in=sum(each.tokens_in for each in every),
        tokens_out=sum(each.tokens_out for each in every),
        tokens_cached=sum(each.tokens_cached for each in every),
        latency_ms=sum(each.latency_ms for each in every),
        cost_micros=sum(each.cost_micros for each in every),
    )


def sum_of(every: Sequence[T]) -> T | None:
    """The last of them, with what all of them took; None where there is none."""
    return added(every[-1], every[:-1]) if every else None
