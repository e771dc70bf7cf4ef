"""A shadow on its way to being adopted: one that can be, and knows what is here by now."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from dnam.cli.ending import told_how_to_go_on
from dnam.cli.shell import Shell
from projections.counting import counted
from projections.errors import BadRequest

if TYPE_CHECKING:
    from dnam.shadows.manifest import Manifest


def ready(shell: Shell, name: str, most: float | None, *, behind: bool) -> "Manifest":
    """The shadow, brought up to now. BadRequest for one that is not complete, ShadowUnusable for one that cannot be
    adopted.
    """
    import msgspec

    from dnam.shadows.manifest import load

    manifest = load(shell.data, name)
    missing, head = _missing(shell, manifest)
    if manifest.state != "complete":
        raise BadRequest(f"the shadow {name} is not complete: `{shell.command(f'rederive --name {name}')}` goes on")
    if not missing:
        return msgspec.structs.replace(manifest, upto=head)
    if behind:
        shell.out.note(f"the shadow {name} knows the log up to #{manifest.upto}: what changed since stays as it is")
        return manifest
    shell.out.note(f"the shadow {name} does not know {counted(missing, 'event')} yet, and is brought up to now")
    return _bring_up(shell, manifest, most)


def _missing(shell: Shell, manifest: "Manifest") -> tuple[int, int]:
    """How much of what is derived from was recorded behind a shadow's end, and where the log ends."""
    from dnam.shadows.behind import behind
    from dnam.shadows.opening import refuse_unusable

    with shell.opened() as (engine, _):
        refuse_unusable(engine, shell.data, manifest)
        head = engine.head().size
        return behind(engine, manifest), head


def _bring_up(shell: Shell, manifest: "Manifest", most: float | None) -> "Manifest":
    """Go on with the derivation, as `dnam rederive` does, once it was agreed to where that may cost. Where the script
    that it follows is gone, it stays as it is: adopting asks no model.
    """
    from dnam.adapters.script import read_script, script_of
    from dnam.cli.rederiving import is_agreed, run_derivation
    from dnam.cli.rederiving_words import NOT_DONE as DECLINED
    from dnam.errors import NoKey
    from dnam.meaning.encoder import EncoderError
    from dnam.rederiving.traffic import AT_ONCE

    script = script_of(manifest.asked.model)
    try:
        if script is not None:
            read_script(script)
    except BadRequest as error:
        shell.out.note(f"it cannot be: {error}. What it knows is adopted, up to #{manifest.upto}")
        return manifest
    agree = partial(is_agreed, shell, parallel=AT_ONCE, max_cost=most)
    try:
        with told_how_to_go_on("nothing was adopted; what was made of the shadow stays, and the same command goes on"):
            done = asyncio.run(run_derivation(shell, manifest, agree, most, AT_ONCE))
    except (NoKey, EncoderError) as error:
        raise BadRequest(f"{error}. {_as_it_is(shell, manifest)}") from error
    if done is None:
        shell.out.note(DECLINED)
        raise BadRequest(_as_it_is(shell, manifest))
    return done


def _as_it_is(shell: Shell, manifest: "Manifest") -> str:
    return f"`{shell.command(f'adopt {manifest.name} --behind')}` takes over what the shadow knows"
