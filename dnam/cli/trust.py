"""What somebody else needs to trust the log: `checkpoint` signs its head, `prove` shows that an event is in it.

Neither writes to the log. The first of them makes the key that signs, under the write lock, and each keeps the last
checkpoint beside it; `verify --since` holds a kept one against the log, and changes nothing.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dnam.cli.command import Command, Data, Json, Yes, whole_number
from dnam.cli.filing import DONE, filed
from dnam.cli.shell import Shell
from dnam.cli.upkeep import data_folder
from projections.counting import counted

if TYPE_CHECKING:
    from replay.checkpoint import Signed
    from replay.store import DiskStore

MADE = {
    "first": "made the key that signs this log's checkpoints, beside the key ring. Whoever has the verifier key can "
    "check them",
    "anew": "the key that signed this log's checkpoints is gone, and another was made. Those that it signed are "
    "checked with the verifier key of then: `dnam verify --since FILE --vkey KEY`",
}
NEW_ORIGIN = (
    "The log goes on under a new name and key, as a copy does that is a log of its own. Earlier checkpoints are then "
    "checked with `--vkey` only. Go on?"
)


def _or_stdout(value: Path | None) -> Path | None:
    """A file that may be written; `-` is standard output, as without the option."""
    if value is None or value == Path("-"):
        return None
    from dnam.given_file import refuse_nowhere, refuse_own

    refuse_own(value)  # before a key that signs is made, or the log has a new name
    refuse_nowhere(value)
    return value


Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", callback=_or_stdout, help="Write it to this file, in one step. `-`: stdout."),
]


# -- checkpoint ----------------------------------------------------------------------------------------------------


def checkpoint(
    out: Out = None,
    new_origin: Annotated[
        bool, typer.Option("--new-origin", help="Give the log a new name and key first: it is a copy that goes on.")
    ] = False,
    yes: Yes = False,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Sign how many events there are and the root over them, to keep elsewhere.

    Prints a C2SP checkpoint; the verifier key that it is checked with goes to stderr, or below the answer of --out.
    The key that signs is made the first time, in the folder `keys`. No event is written.
    """
    from replay.errors import EndLost

    shell = Shell(data, as_json, yes)
    with data_folder(shell, writable=False) as store:
        if lost := store.misfit():  # nobody is to vouch for what lost its end
            raise EndLost(lost)
        if new_origin and not shell.out.confirm(NEW_ORIGIN):
            shell.out.nothing_done("not signed: nothing was changed")
            return
        if out is not None and out.is_file() and not shell.out.confirm(f"{out} is there already. Replace it?"):
            shell.out.nothing_done("not signed: nothing was changed")
            return
        signed = _signed(shell, store, anew=new_origin)
    if out is not None:
        filed(out, signed.note, replacing=True)
    _tell(shell, signed, out)


def _signed(shell: Shell, store: "DiskStore", *, anew: bool = False) -> "Signed":
    from replay.checkpoint import sign

    signed = sign(store, anew=anew)
    if anew:
        DONE.append("the log has a new name and key")
    if signed.key_is in MADE:
        shell.out.note(MADE[signed.key_is])
    return signed


def _tell(shell: Shell, signed: "Signed", out: Path | None) -> None:
    key = f"verifier key: {signed.verifier.encoded()}"
    if shell.out.as_json:
        shell.out.emit(_json(signed, out))
    elif out is None:
        shell.out.exactly(signed.note)
        shell.out.aside(key)
    else:
        shell.out.line(f"checkpoint of {counted(signed.checkpoint.size, 'event')} written to {out}")
        shell.out.line(key)


def _json(signed: "Signed", out: Path | None) -> dict[str, Any]:
    return {
        "origin": signed.checkpoint.origin,
        "size": signed.checkpoint.size,
        "root": signed.checkpoint.root,
        "vkey": signed.verifier.encoded(),
        "key": signed.key_is,
        "checkpoint": signed.note,
        "file": out,
    }


# -- prove ---------------------------------------------------------------------------------------------------------


def prove(
    seq: Annotated[
        int, typer.Argument(metavar="SEQ", parser=whole_number(0), help="An event's place in the log, from 1.")
    ],
    out: Out = None,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Write the proof that an event is in the log, for whoever has a checkpoint.

    It signs a checkpoint of the log, as `checkpoint` does: no event is written, but a key where there was none.
    It is JSON: origin, seq, size, header and root in hex, path (the audit path of RFC 9162 from the leaf up, in hex),
    and the signed checkpoint. The header names nobody, and says nothing of what was said. The event is the RFC's leaf
    of index seq - 1.
    """
    import msgspec

    from dnam.cli.screen import jsonable
    from replay.tree import CompactRange
    from replay.tree_head import prove as proof_of
    from replay.tree_head import refuse_unknown

    shell = Shell(data, as_json)
    with data_folder(shell, writable=False) as store:
        refuse_unknown(seq, store.log.head().size)
        signed = _signed(shell, store)
        edge = CompactRange(signed.head.size, signed.head.nodes)
        proof = proof_of(store.log, seq, signed.checkpoint, edge, signed.note)
    if out is None:
        shell.out.emit(proof)
        return
    filed(out, msgspec.json.encode(jsonable(proof)).decode() + "\n")
    if shell.out.as_json:
        shell.out.emit({"seq": seq, "size": proof.size, "root": proof.root, "file": out})
    else:
        shell.out.line(
            f"proof that #{seq} is among the {counted(proof.size, 'event')} of {proof.origin} written to {out}"
        )


COMMANDS = (
    Command("checkpoint", checkpoint, "checkpoint --out monday.checkpoint"),
    Command("prove", prove, "prove 1042 --out 1042.json"),
)
