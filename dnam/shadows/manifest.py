"""What there is to know of a shadow without opening it: how it was asked for, how far it is, and what it took.

It lies in `data/shadows/NAME/shadow.json` and holds no word of anybody: names of models and prompts, handles, ids of
events, counts.
"""

import fcntl
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Literal

import msgspec

from dnam.errors import ShadowUnusable
from dnam.prices import dollars
from projections.errors import BadRequest
from projections.ids import Handle
from projections.rederiving.scope import Scope
from replay.errors import Busy, LogError
from replay.folder import Folder, make_private, replace_file
from replay.lmdb_file import translated
from replay.lmdb_log import LmdbLog
from replay.lock import takes
from replay.log import Log
from replay.ring.keyring import KeyRing
from replay.shadows.shadow import SHADOWS, remove_shadow, shadow_folder, shadows_in

FILE = "shadow.json"
MAKING = "making.lock"
FORM = 1
State = Literal["under way", "complete"]
SOMEBODY = (b"\xff" * 16).hex()
"""What stands for whom a shadow was asked for and who was erased since: nobody has this handle."""
Unusable = Callable[[str, str], None]
"""Told of a shadow's name, and in words why it cannot be used."""
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_EVENT = re.compile(r"[0-9a-f]{32}")


HANDLE_BYTES = ID_BYTES = 16


class Asked(msgspec.Struct, frozen=True):
    """What a shadow was asked for. `people` (handles in hex) and `guilds` (`platform:id`) are whose part is derived
    anew, all where there are none; so is what was recorded from `since` on (seq). `cadence` is how many messages an
    extraction reads, 0 where the recorded schedule holds. `encoder` compares items, the configured one where it is
    empty. `batch` is how the model is asked.
    """

    model: str
    summary_model: str
    extraction_prompt: str
    summary_prompt: str
    merge_policy: str
    people: tuple[str, ...] = ()
    guilds: tuple[str, ...] = ()
    since: int = 0
    cadence: int = 0
    encoder: str = ""
    batch: bool = False

    @property
    def scope(self) -> Scope:
        """Whose part is derived anew."""
        return Scope(frozenset(Handle(bytes.fromhex(each)) for each in self.people), frozenset(self.guilds))


class Lost(msgspec.Struct, frozen=True):
    """What a run had read when it was recorded and is not said any more: events of its memory, as the run is (hex).
    `is_more`: there are others.
    """

    run: str
    inputs: tuple[str, ...] = ()
    is_more: bool = False


class Manifest(msgspec.Struct, frozen=True):
    """A shadow, made `by` a model, by its own name. `made` is ms; `log` the id of its own log, `of` that of the memory
    it is of (hex). `begun` is where that ended when it was begun, or gone on with (seq), `upto` how far it has walked
    that, `acted` up to where what people decided was applied, `runs` how many runs were made anew,
    `unusable` of how many the reply could not be used, and `changed` those that read less than then; `lost` says of
    these what they could not read. `useless` is how many replies of batches are paid for of which nothing is there.
    Costs are in 10⁻⁶ USD, but for the `unpriced` calls, of which nobody knows what they cost.
    """

    name: str
    asked: Asked
    made: int
    log: str
    of: str
    by: str = ""
    form: int = FORM
    state: State = "under way"
    begun: int = 0
    upto: int = 0
    acted: int = 0
    runs: int = 0
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_micros: int = 0
    unpriced: int = 0
    unusable: int = 0
    useless: int = 0
    changed: tuple[str, ...] = ()
    lost: tuple[Lost, ...] = ()


def cost_words(manifest: Manifest) -> str:
    """What making a shadow cost, for people, as far as that is known."""
    cost = dollars(manifest.cost_micros)
    if not manifest.unpriced:
        return cost
    return f"{cost} and more, not known" if manifest.cost_micros else "cost not known"


def checked(name: str) -> str:
    """The name of a shadow. BadRequest for one that may not be."""
    if not is_name(name):
        raise BadRequest(
            f"{name!r} is no name for a shadow: up to 40 of a to z, 0 to 9, - and _, and a letter or digit first"
        )
    return name


def is_name(name: str) -> bool:
    """Whether a shadow may be called so."""
    return _NAME.fullmatch(name) is not None


def load(data: Path, name: str) -> Manifest:
    """The manifest of a shadow. BadRequest where there is none, or one that this program does not know; ShadowUnusable
    where it is damaged or gone. An OSError is the disk's, and may pass: the shadow may be whole.
    """
    found = known(data, name)
    if found is None:
        raise BadRequest(f"there is no shadow {name!r} here: `dnam shadows` lists those that there are")
    return found


def known(data: Path, name: str) -> Manifest | None:
    """The same; None where there is no such shadow, or only what a kill left before anything was recorded in it."""
    _refuse_files(data, name)
    file = shadow_folder(data, checked(name)) / FILE
    try:
        found = msgspec.json.decode(file.read_bytes(), type=Manifest)
    except FileNotFoundError:
        if _has_events(data, name):
            raise ShadowUnusable(name, f"{FILE} is gone") from None
        return None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, IsADirectoryError) as error:
        raise ShadowUnusable(name, f"{FILE} cannot be read: {error}") from error
    wrong = _wrong(found, name)
    if wrong:
        raise ShadowUnusable(name, f"{FILE} cannot be read: {wrong}")
    if found.form > FORM:
        raise BadRequest(f"the shadow {name!r} was made by a newer dnam: install that, or drop the shadow")
    return found


def _refuse_files(data: Path, name: str) -> None:
    """BadRequest where a file lies in the place of a folder."""
    for path in (data / SHADOWS, shadow_folder(data, checked(name))):
        if path.exists() and not path.is_dir():
            raise BadRequest(f"{path} is a file, and shadows lie in folders: move it away")


def _has_events(data: Path, name: str) -> bool:
    """Whether anything was recorded in a shadow. Of a log that cannot be read it is taken that there was."""
    try:
        current = Folder(shadow_folder(data, name) / "log").current()
        if current is None:
            return False
        log = LmdbLog(current, writable=False)
    except LogError:
        return True
    try:
        return log.head().size > 0
    finally:
        log.close()


def _wrong(manifest: Manifest, name: str) -> str:
    """Why a manifest is none that dnam wrote, in words; empty where it is."""
    if manifest.name != name:
        return "it is of a shadow with another name"
    if min(manifest.begun, manifest.upto, manifest.acted, manifest.asked.since) < 0:
        return "it counts events from below zero"
    try:
        handles = [bytes.fromhex(each) for each in manifest.asked.people]
        ids = [bytes.fromhex(each) for each in (manifest.log, manifest.of)]
    except ValueError:
        return "it names people or logs that there cannot be"
    if not all(map(_is_event, _events_named(manifest))):
        return "it names events that there cannot be"
    if any(len(each) != HANDLE_BYTES for each in handles) or any(each and len(each) != ID_BYTES for each in ids):
        return "it names people or logs that there cannot be"
    return ""


def _events_named(manifest: Manifest) -> Iterator[str]:
    yield from manifest.changed
    for each in manifest.lost:
        yield from (each.run, *each.inputs)


def _is_event(text: str) -> bool:
    return _EVENT.fullmatch(text) is not None


def exists(data: Path, name: str) -> bool:
    """Whether there is a shadow of this name."""
    return (shadow_folder(data, checked(name)) / FILE).exists()


def listing(data: Path, tell: Unusable) -> Sequence[Manifest]:
    """Every shadow that is there and whose manifest can be read, by name; `tell` hears of the others."""
    found: list[Manifest] = []
    for name in _named(data):
        try:
            each = known(data, name)
        except (BadRequest, ShadowUnusable) as error:
            tell(name, str(error))
        else:
            found += [] if each is None else [each]
    return found


def _named(data: Path) -> list[str]:
    """The folders that may be of a shadow. BadRequest where a file lies in their place."""
    folder = data / SHADOWS
    if folder.exists() and not folder.is_dir():
        raise BadRequest(f"{folder} is a file, and shadows lie in folders: move it away")
    names = sorted(each.name for each in folder.iterdir() if each.is_dir()) if folder.is_dir() else []
    return [name for name in names if is_name(name)]


def save(data: Path, manifest: Manifest) -> None:
    """Write a manifest; it is on the disk when this returns."""
    text = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
    replace_file(shadow_folder(data, manifest.name) / FILE, text + b"\n")


def refuse_other_log(manifest: Manifest, log: Log) -> None:
    """ShadowUnusable for one of another log than this one: a restore, or somebody's hand, put that in its place."""
    why = other_log(manifest, log)
    if why:
        raise ShadowUnusable(manifest.name, f"it {why}")


def other_log(manifest: Manifest, log: Log) -> str:
    """Why a shadow is not of this log, in words; empty where it is."""
    if manifest.of and manifest.of != log.id.hex():
        return "was made of another log than the one that is here now"
    size = log.head().size
    if manifest.upto > size:
        return f"knows the log up to #{manifest.upto}, and the one that is here now ends at #{size}"
    return ""


def forget_erased(data: Path, ring: KeyRing) -> None:
    """Take the handles of who was erased out of what shadows were asked for."""
    ring.refresh()
    for name in shadows_in(data):
        if not exists(data, name):
            continue
        try:
            manifest = load(data, name)
        except (BadRequest, ShadowUnusable):  # it can only be dropped
            continue
        without = without_erased(manifest, ring)
        if without != manifest:
            save(data, without)


def without_erased(manifest: Manifest, ring: KeyRing) -> Manifest:
    """A manifest without the handles of whom no key in the ring is of any more."""
    people = tuple(map(partial(_still_known, ring), manifest.asked.people))
    return msgspec.structs.replace(manifest, asked=msgspec.structs.replace(manifest.asked, people=people))


def _still_known(ring: KeyRing, person: str) -> str:
    return person if ring.listing(Handle(bytes.fromhex(person))) else SOMEBODY


@contextmanager
def making(data: Path, name: str) -> Iterator[None]:
    """Be the only one who makes a shadow, adopts or drops it, as long as the `with` lasts. Busy where another process
    does.
    """
    _refuse_files(data, name)
    folder = shadow_folder(data, checked(name))
    with translated(data):
        make_private(folder)
        file = os.open(folder / MAKING, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _lock(file, name)
        yield
    finally:
        os.close(file)


@contextmanager
def alone_with(data: Path, name: str) -> Iterator[None]:
    """The same of a shadow that is there, whole or not. BadRequest where there is none."""
    _refuse_files(data, name)
    if not shadow_folder(data, checked(name)).is_dir():
        raise BadRequest(f"there is no shadow {name!r} here: `dnam shadows` lists those that there are")
    with making(data, name):
        yield


def is_being_made(data: Path, name: str) -> bool:
    """Whether a process makes a shadow just now, adopts it or drops it. Nothing is made on the disk to find out."""
    try:
        file = os.open(shadow_folder(data, checked(name)) / MAKING, os.O_RDONLY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return False
    try:
        return not takes(file, fcntl.LOCK_SH)
    finally:
        os.close(file)


def _lock(file: int, name: str) -> None:
    while not takes(file):  # whoever only looks, as `is_being_made` does, is gone in a moment
        if not takes(file, fcntl.LOCK_SH):
            raise Busy(
                f"another process is making the shadow {name!r}, or adopting it, just now: wait for it, or end it"
            )


def drop(data: Path, name: str) -> None:
    """Remove a shadow, and all that was made in it. BadRequest where there is none, Busy where it is being made."""
    with alone_with(data, name):
        remove_shadow(data, name)
