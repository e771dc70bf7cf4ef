"""What a derivation is asked for: what was given, else what the shadow was asked for before, else the settings."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import msgspec

from dnam.adapters.script import PREFIX, script_of
from dnam.discoclaw.files import the_guild
from dnam.finding import the_person
from dnam.learning.tending import EXTRACTION_PROMPT, SUMMARY_PROMPT
from dnam.rederiving.rederivation import refuse_unknown
from dnam.settings import Settings
from dnam.shadows.manifest import Asked, Manifest
from dnam.shadows.manifest import known as known_shadow
from projections.errors import BadRequest
from projections.policies import closeness
from projections.rows import Rows
from projections.work import WORK

OFFLINE = "offline"
"""The model that comes along, which costs nothing."""


class Wanted(NamedTuple):
    """What was given; None, or nothing, where nothing was. `since` is a seq."""

    model: str | None = None
    extraction_prompt: str | None = None
    summary_prompt: str | None = None
    merge_policy: str | None = None
    users: Sequence[str] = ()
    guilds: Sequence[str] = ()
    since: int | None = None
    cadence: int | None = None
    encoder: str | None = None
    batch: bool | None = None


def configured(rows: Rows, settings: Settings) -> Asked:
    """What holds where nothing is given. Without a key it is the model whose replies there are, so that they are
    decided anew, and not asked anew of the one that comes along.
    """
    if settings.anthropic_api_key:
        model, summary_model = settings.durable_model, settings.summary_model
    else:
        learned, summed_up = _replied(rows, "extraction"), _replied(rows, "summary")
        model, summary_model = learned or summed_up or OFFLINE, summed_up or learned or OFFLINE
    return Asked(
        model=model,
        summary_model=summary_model,
        extraction_prompt=EXTRACTION_PROMPT,
        summary_prompt=SUMMARY_PROMPT,
        merge_policy=closeness.VERSION,
    )


def _replied(rows: Rows, work: str) -> str:
    """The paid model that replied last when it was asked for this; empty where none did. The offline model takes no
    tokens.
    """
    found = (each.row for each in rows.scan(WORK))
    paid = (row for row in found if row.work == work and row.call.tokens_in)
    last = max(paid, key=lambda row: (row.at, row.event), default=None)
    return "" if last is None else last.call.model


def asked_for(rows: Rows, base: Asked, wanted: Wanted) -> Asked:
    """What is asked for, over what would hold without. Unknown and Ambiguous for people and servers nobody knows."""
    model = None if wanted.model is None else _whole(wanted.model)
    given = {
        "model": model,
        "summary_model": model,
        "extraction_prompt": wanted.extraction_prompt,
        "summary_prompt": wanted.summary_prompt,
        "merge_policy": wanted.merge_policy,
        "people": tuple(sorted(the_person(rows, each).hex() for each in wanted.users)) or None,
        "guilds": tuple(sorted(str(the_guild(rows, each)) for each in wanted.guilds)) or None,
        "since": wanted.since,
        "cadence": wanted.cadence,
        "encoder": wanted.encoder,
        "batch": wanted.batch,
    }
    return msgspec.structs.replace(base, **{name: value for name, value in given.items() if value is not None})


def _whole(model: str) -> str:
    """A model's name; the path of a script holds wherever it is asked from. BadRequest for an empty one."""
    if not model.strip():
        raise BadRequest("say which model reads it again: --model haiku, --model offline, or leave --model out")
    script = script_of(model)
    return model if script is None else f"{PREFIX}{script.resolve()}"


def manifest_for(rows: Rows, settings: Settings, data: Path, name: str, wanted: Wanted, now: int) -> Manifest:
    """The shadow to go on with, or a new one. BadRequest for one of the same name that was asked for otherwise."""
    known = known_shadow(data, name)
    asked = asked_for(rows, configured(rows, settings) if known is None else known.asked, wanted)
    refuse_unknown(asked)
    if known is None:
        return Manifest(name, asked, now, "", "")
    if msgspec.structs.replace(asked, batch=known.asked.batch) != known.asked:
        raise BadRequest(
            f"there is a shadow {name!r} already, which was asked for in another way: give this one another name, or "
            f"`dnam shadows drop {name}`. Without other options it goes on"
        )
    return msgspec.structs.replace(known, asked=asked)


def with_encoder(settings: Settings, encoder: str) -> Settings:
    """The settings with an encoder: `voyage`, `local`, `none`, or the name of a model of Voyage's; empty for theirs."""
    if not encoder:
        return settings
    if encoder in ("auto", "voyage", "local", "none"):
        return replace(settings, encoder=encoder)
    return replace(settings, encoder="voyage", encoder_model=encoder)
