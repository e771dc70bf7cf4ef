"""Aliases of models: that one stands for another model than before is recorded, once."""

from collections.abc import Mapping
from typing import NamedTuple

from projections.decisions.draft import Draft, Minter, Origin, decided_before
from projections.events import ModelResolved
from projections.events.values import By
from projections.models import resolved
from projections.rows import Rows

BY = By("policy", name="aliases", version="1")
"""The newest model of the alias's family that the program knows (`dnam/adapters/anthropic/aliases.py`)."""


class ResolveRequest(NamedTuple):
    """What each alias in use stands for now; `now` in ms."""

    models: Mapping[str, str]
    now: int
    origin: Origin


def resolve(rows: Rows, request: ResolveRequest) -> list[Draft]:
    """An event for each alias that stands for another model than was last recorded; the first time too."""
    if decided_before(rows, request.origin):
        return []
    minter = Minter(rows, request.origin)
    drafts = []
    for alias, model in sorted(request.models.items()):
        row = resolved(rows, alias)
        if row is None or row.model != model:
            drafts.append(minter.draft(_resolved(alias, model, "" if row is None else row.model, request.now)))
    return drafts


def _resolved(alias: str, model: str, previous: str, now: int) -> ModelResolved:
    return ModelResolved(said=now, by=BY, alias=alias, model=model, previous=previous)
