"""A community: who is in it and where it talks, met by the real program; then scene after scene, with a cast drawn by
Zipf's law, as long as its log is to be.

A few people are guests: they come only in the beginning, and have as many events in a log of ten million as in one of a
hundred thousand. What the design says of "a person's events" is measured on them. All play the same scenes, each in
channels where hardly anybody else speaks and no other guest does: none has more events, keys or items than another, and
the erasure of one takes nothing from the next.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dnam.whereabouts import with_handles
from projections.decisions.draft import Decision
from projections.decisions.hear import HeardRequest, hear
from projections.events import MessageHeard
from projections.ids import Handle, VaultId
from projections.registry import FOLD
from replay.builder import silent
from replay.engine import Engine
from replay.group import Recorded
from replay.log import Commit, Entry
from replay.ring.keyring import ERA, SET, KeyRing
from replay.store import DiskStore
from tests.bench.seed import ChatClock
from tests.bench.talk import FIRST_KEY, FIRST_SAID
from tests.bench.zipf import Zipf
from tests.proof.scale.copying import Copier, Order, Sealing, Template
from tests.proof.scale.scenes import KINDS, account, message, place_of

TOGETHER = 4_096
"""About how many events share a commit while a log grows, as in a long import."""
ERA_TURNS = 100
"""An era is twenty refreshes of a summary, each after five turns, unless something else is set."""
GUEST_EVERY = 3
"""Every so manieth scene is a guest's, until each had as many as they have."""
GAP_MS = 2_000


class Size(NamedTuple):
    """How large a community is: people, public channels, restricted ones, threads, and how many people have direct
    messages with the assistant; guests come on top of the people, each in so many scenes.
    """

    people: int
    channels: int
    private: int
    threads: int
    direct: int
    guests: int
    guest_scenes: int


TOWN = Size(people=10_000, channels=1_000, private=50, threads=300, direct=2_000, guests=12, guest_scenes=12)
HAMLET = Size(people=20, channels=4, private=1, threads=2, direct=4, guests=2, guest_scenes=3)


class GuestTurn(NamedTuple):
    """Which guest's turn it is, and the how manieth of their scenes."""

    guest: int
    scene: int


class Zipfian:
    """Draws numbers below `count`, the n-th n times rarer than the first."""

    def __init__(self, count: int, dice: np.random.Generator) -> None:
        shares = np.cumsum(1 / np.arange(1, count + 1))
        self._shares, self._dice = shares / shares[-1], dice

    def draw(self, many: int) -> list[int]:
        """So many different ones."""
        found: dict[int, None] = {}
        while len(found) < many:
            drawn = np.searchsorted(self._shares, self._dice.random(many), side="right")
            found |= dict.fromkeys(int(each) for each in drawn)
        return list(found)[:many]


class Community:
    """Its log in a folder, which grows. `people` and `guests` are their handles, who speaks most first."""

    def __init__(self, folder: Path, size: Size, templates: Sequence[Template], seed: int) -> None:
        self.folder, self.size = folder, size
        self.people: list[Handle] = []
        self.guests: list[Handle] = []
        self.scenes: Counter[str] = Counter()
        self._templates, self._number = templates, 0
        self._copier = Copier(templates, _chat(seed))
        self._now, self._turns = FIRST_SAID, Counter[tuple[str, str]]()
        self._guest_turns = size.guests * size.guest_scenes
        talks = zip(_of_kind(templates, "direct"), _of_kind(templates, "asked"), strict=True)
        self._of_guests = [number for pair in talks for number in pair]
        dice = self._dice = np.random.default_rng(seed)
        self._crowd, self._places = Zipfian(size.people, dice), _places(size)
        self._where = {kind: Zipfian(len(places), dice) for kind, places in self._places.items()}
        self._talkative = Zipfian(size.direct, dice)

    # -- meeting -------------------------------------------------------------------------------------------------------

    def meet(self) -> None:
        """Everybody says hello once, everywhere something is said: through the engine, each in a decision."""
        clock = ChatClock()
        with Engine.open(self.folder, create=True, clock=clock) as engine:
            everybody = self.size.people + self.size.guests
            heard = [self._hello(engine, "chatter", number, clock) for number in range(everybody)]
            handles = [_speaker(each.result()) for each in heard]
            self.people, self.guests = handles[: self.size.people], handles[self.size.people :]
            with_direct = [*range(self.size.direct), *range(self.size.people, everybody)]
            last = [self._hello(engine, "direct", number, clock) for number in with_direct]
            for kind, places in self._places.items():
                last += [self._hello(engine, kind, number, clock) for number in range(len(places))]
            for each in last:
                each.result()
        self._now = clock.time + GAP_MS

    def _hello(self, engine: Engine, kind: str, number: int, clock: ChatClock) -> "Future[Recorded]":
        place = place_of(kind, number % max(1, len(self._places.get(kind, ()))), account(number))
        self._number += 1
        clock.time += 100
        of_kind = next(each for each in KINDS if each.name == kind)
        who = number % (self.size.people + self.size.guests)
        said = message(of_kind, place, who, "Hello.", FIRST_KEY + self._number, clock.time, asks=False)
        return engine.submit(_hearing(with_handles(said)))

    # -- growing -------------------------------------------------------------------------------------------------------

    def grow_to(self, events: int, progress: Callable[[int, int], None] = silent) -> int:
        """Let it talk until its log holds about so many events; how many it holds then. Its views stay behind."""
        store = DiskStore(self.folder, FOLD, writable=True)
        try:
            head = store.log.head()
            self._now = max(self._now, head.at + 1)
            while head.size < events:
                entries = list(self._some(store.ring, min(TOGETHER, events - head.size)))
                store.ring.flush(head.epoch)
                vaults = sorted(self._sealed_in)
                head = store.log.append(Commit(entries, self._last, vaults=vaults), head)
                progress(head.size, events)
            return head.size
        finally:
            store.close()

    def _some(self, ring: KeyRing, events: int) -> Iterator[Entry]:
        """The entries of the next scenes, about so many; no scene is cut."""
        self._sealed_in: set[VaultId] = set()
        made = 0
        while made < events:
            order = self._next(ring)
            entries = self._copier.entries(order)
            self._sealed_in.update(vault for vault, _ in order.vaults)
            made += len(entries)
            yield from entries

    def _next(self, ring: KeyRing) -> Order:
        """The next scene: which, by whom, where."""
        turn = self._guest()
        number = self._which() if turn is None else self._of_guests[turn.scene % len(self._of_guests)]
        scene = self._templates[number]
        cast = self._cast(scene, None if turn is None else self.guests[turn.guest])
        place = self._place(scene.kind, cast[0], turn)
        self._last = self._now + scene.lasts
        starts, self._now = self._now, self._last + GAP_MS
        self.scenes[scene.kind] += 1
        self._number += 1
        turns = sum(piece.header.tag == "turn.answered" for piece in scene.pieces)
        era = self._turns[scene.kind, place] // ERA_TURNS
        self._turns[scene.kind, place] += turns
        vaults = [_vault(ring, each, cast, f"{scene.kind} {place} {era}") for each in scene.vaults]
        keys = [(vault, ring.key(vault)) for vault in vaults]
        return Order(number, self._number, starts, cast, [place.encode()] * len(scene.places), keys)

    def _guest(self) -> "GuestTurn | None":
        """Whose turn it is, where it is a guest's."""
        turn, is_one = divmod(self.scenes.total(), GUEST_EVERY)
        if is_one or turn >= self._guest_turns:
            return None
        scene, guest = divmod(turn, len(self.guests))
        return GuestTurn(guest, scene)

    def _which(self) -> int:
        """A template: of any kind, by its share."""
        shares = np.array([each.share for each in KINDS], dtype=float)
        kind = KINDS[int(self._dice.choice(len(KINDS), p=shares / shares.sum()))].name
        numbers = _of_kind(self._templates, kind)
        return numbers[int(self._dice.integers(len(numbers)))]

    def _cast(self, scene: Template, guest: Handle | None) -> list[Handle]:
        if guest is not None:
            return [guest, *(self.people[each] for each in self._crowd.draw(len(scene.cast) - 1))]
        ranks = self._talkative if scene.kind == "direct" else self._crowd
        return [self.people[each] for each in ranks.draw(len(scene.cast))]

    def _place(self, kind: str, first: Handle, turn: "GuestTurn | None") -> str:
        if kind == "direct":
            return first.hex()
        kind = "chatter" if kind == "asked" else kind
        if turn is not None:
            from_last = turn.guest * self.size.guest_scenes + turn.scene
            return self._places[kind][-1 - from_last % len(self._places[kind])]
        return self._places[kind][self._where[kind].draw(1)[0]]


def _of_kind(templates: Sequence[Template], kind: str) -> list[int]:
    """The numbers of the templates of a kind."""
    return [number for number, each in enumerate(templates) if each.kind == kind]


def _places(size: Size) -> dict[str, list[str]]:
    """The platform's names of all places but direct messages."""
    counts = {"chatter": size.channels, "private": size.private, "thread": size.threads}
    return {kind: [place_of(kind, number).key for number in range(count)] for kind, count in counts.items()}


def _vault(ring: KeyRing, sealing: Sealing, cast: Sequence[Handle], label: str) -> VaultId:
    people = frozenset(cast[each] for each in sealing.people)
    if sealing.kind == SET:
        return ring.set_vault(people)
    return ring.era_vault(label, people) if sealing.kind == ERA else ring.labelled_vault(label)


def _chat(seed: int) -> Iterator[str]:
    """What people chat, for ever."""
    source = Zipf(seed)
    while True:
        yield from islice(source.texts(50_000), 50_000)


def _hearing(request: HeardRequest) -> Decision:
    return lambda rows: hear(rows, request)


def _speaker(recorded: Recorded) -> Handle:
    """Who said what was recorded."""
    return next(each.event.message.speaker for each in recorded.records if isinstance(each.event, MessageHeard))
