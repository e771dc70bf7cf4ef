"""Recall in a large guild, beside search engines over the same texts; the index on disk, kept up and made anew."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from projections.recall.search import Wanted
from projections.registry import FOLD
from replay.builder import rebuild
from replay.engine import Engine
from replay.recall import indexing
from replay.recall.index import Index
from replay.recall.tables import TABLES
from replay.store import DiskStore
from tests.bench.asking import Search, ask, ask_one, percentile, searching
from tests.bench.bench import Bench
from tests.bench.disk import pages_of
from tests.bench.library import Library
from tests.bench.measure import Goal, Row, Spread, compared
from tests.bench.searchers import BM25S, FTS5, TANTIVY, Bm25s, Fts5, Searcher, Tantivy, opened
from tests.bench.talk import channel
from tests.bench.watched import watching
from tests.bench.zipf import Zipf

PEOPLE = CHANNELS = 200
QUERIES = 100
"""How many queries a round has."""
FEW = 10
"""How many of them FTS5 is asked, since it takes a hundred times as long."""
KEPT = 20_000
"""How many messages are heard to see what keeping the index takes."""
EDITED = 2_048
"""How many are edited for the same: two segments full, so that each bears its part of sealing what it says now."""
VIEWS_EVENTS = 65_536
"""How many events the views may be behind while a guild is filled; nobody reads meanwhile."""
Peers = Mapping[str, Searcher | None]


class Guild(NamedTuple):
    """A guild whose channels hold so many texts; `next` is the number of the next message."""

    folder: Path
    wanted: Wanted
    documents: int
    channels: int
    next: int

    @property
    def what(self) -> str:
        """For its rows."""
        return f"recall, {self.documents:,} documents in {self.channels} channel{'s' * (self.channels > 1)}"


def in_plain_guild(bench: Bench, documents: int, note: str) -> Iterator[Row]:
    """A guild with one channel by itself, for whom nothing is compiled: no goal is set for it."""
    guild, dice = _filled(bench, documents, 1, "plain"), Zipf(1)
    with Engine.open(guild.folder, writable=False) as engine:
        search = searching(engine, guild.wanted)
        ask(search, dice.queries(QUERIES))
        rounds = [ask(search, dice.queries(QUERIES)) for _ in range(bench.rounds)]
    middle, late = [median(each) for each in rounds], [percentile(99, each) for each in rounds]
    yield Row(
        f"{guild.what}, without numba: p50", "ms", Spread.of(middle), note=f"8-term queries, the ten best; {note}"
    )
    yield Row(f"{guild.what}, without numba: p99", "ms", Spread.of(late), note=note)


def in_guilds(bench: Bench, documents: int, note: str) -> Iterator[Row]:
    """A guild with one channel, and one with many; the index of the latter. `note` says by what is reckoned."""
    bench.say(f"giving {TANTIVY}, {FTS5} and {BM25S} {documents:,} texts")
    peers: Peers = {
        TANTIVY: opened(lambda: Tantivy(bench.folder("recall-tantivy"), Zipf(documents).texts(documents))),
        FTS5: opened(lambda: Fts5(bench.folder("recall-fts5.sqlite"), Zipf(documents).texts(documents))),
        BM25S: opened(lambda: Bm25s(bench.folder("recall-bm25s"), Zipf(documents).texts(documents))),
    }
    yield from _searched(bench, _filled(bench, documents, 1), peers, note)
    guild = _filled(bench, documents, CHANNELS)
    yield from _searched(bench, guild, peers, note)
    yield from _sizes(guild, peers)
    yield _kept(bench, guild)
    yield _changed(bench, guild)
    yield _made_anew(bench, guild)
    for peer in peers.values():
        if peer is not None:
            peer.close()


def _filled(bench: Bench, documents: int, channels: int, name: str = "guild") -> Guild:
    bench.say(f"{PEOPLE} people say {documents:,} things in {channels} channel(s)")
    folder = bench.folder(f"recall-{name}-{channels}")
    with Engine.open(folder, create=True, view_commit_events=VIEWS_EVENTS) as engine:
        library = Library(engine, [channel(number) for number in range(channels)], PEOPLE)
        library.say(Zipf(documents).texts(documents))
        engine.commit_views()
        return Guild(folder, library.asked(), documents, channels, library.next)


# -- found -------------------------------------------------------------------------------------------------------------


def _searched(bench: Bench, guild: Guild, peers: Peers, note: str) -> Iterator[Row]:
    bench.say(f"{bench.rounds} × {QUERIES} queries")
    dice = Zipf(guild.channels)
    with Engine.open(guild.folder, writable=False) as engine:
        sides = {"ours": searching(engine, guild.wanted)}
        yield Row(
            f"{guild.what}: the first",
            "ms",
            Spread.of(ask(sides["ours"], dice.queries(1))),
            note=f"after opening; {note}",
        )
        sides |= {name: _counting(peer) for name, peer in peers.items() if peer is not None}
        _round(sides, dice.queries(QUERIES), 0)
        rounds = [_round(sides, dice.queries(QUERIES), number) for number in range(bench.rounds)]
    yield _beside_tantivy(guild, rounds, note)
    yield _beside_fts5(guild, rounds, note)
    yield _beside_bm25s(guild, rounds, note)
    late = Spread.of([percentile(99, each["ours"]) for each in rounds])
    theirs = [percentile(99, each[TANTIVY]) for each in rounds if TANTIVY in each]
    beside = f"{TANTIVY}: {median(theirs):.3g} ms; " if theirs else ""
    yield Row(f"{guild.what}: p99", "ms", late, goal=Goal("≤", 20), note=f"{beside}{note}")
    yield _held(guild)


def _counting(peer: Searcher) -> Search:
    return lambda query: len(peer.search(query))


def _round(sides: Mapping[str, Search], queries: Sequence[str], number: int) -> dict[str, list[float]]:
    """Every side's ms. They take turns query by query; who begins moves on."""
    took: dict[str, list[float]] = {name: [] for name in sides}
    names = list(sides)
    for at, query in enumerate(queries):
        for step in range(len(names)):
            name = names[(number + at + step) % len(names)]
            if name != FTS5 or at < FEW:
                took[name].append(ask_one(sides[name], query))
    return took


def _beside_tantivy(guild: Guild, rounds: Sequence[Mapping[str, list[float]]], by: str) -> Row:
    ours = [median(each["ours"]) for each in rounds]
    theirs = [median(each[TANTIVY]) for each in rounds if TANTIVY in each]
    note = f"8-term queries, the ten best; {by}"
    return compared(f"{guild.what}: p50", "ms", ours, TANTIVY, theirs or None, Goal("≤", 1), note)


def _beside_fts5(guild: Guild, rounds: Sequence[Mapping[str, list[float]]], by: str) -> Row:
    """The same queries of both."""
    ours = [1000 / median(each["ours"][:FEW]) for each in rounds]
    theirs = [1000 / median(each[FTS5]) for each in rounds if FTS5 in each]
    note = f"any of the words, by bm25(); {by}"
    return compared(f"{guild.what}: by p50", "/s", ours, FTS5, theirs or None, Goal("≥", 20), note)


def _beside_bm25s(guild: Guild, rounds: Sequence[Mapping[str, list[float]]], by: str) -> Row:
    ours = [1000 / median(each["ours"]) for each in rounds]
    theirs = [1000 / median(each[BM25S]) for each in rounds if BM25S in each]
    note = f"every score made beforehand, in memory; it takes no additions; {by}"
    return compared(f"{guild.what}: by p50", "/s", ours, BM25S, theirs or None, note=note)


def _held(guild: Guild) -> Row:
    """The memory of a process of its own that opens the guild and asks, without what it maps of files."""
    command = [sys.executable, "-m", "tests.bench.recall_alone", str(guild.folder), str(guild.next), str(QUERIES)]
    found = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    note = f"a process of its own, {QUERIES} queries; {found['before']:.0f} MB of it before the first"
    return Row(f"{guild.what}: memory", "MB", Spread.of([found["most"]]), goal=Goal("≤", 200), note=note)


# -- the index ---------------------------------------------------------------------------------------------------------


def _sizes(guild: Guild, peers: Peers) -> Iterator[Row]:
    store = DiskStore(guild.folder, FOLD, writable=False)
    assert store.views is not None
    folder = store.views.folder
    store.close()
    pages = pages_of(folder)
    ours = [sum(pages[name] for name in TABLES) / guild.documents]
    for name, peer in peers.items():
        theirs = None if peer is None else [peer.bytes() / guild.documents]
        yield compared("the index on disk", "bytes/document", ours, name, theirs)


def _kept(bench: Bench, guild: Guild) -> Row:
    """What the index takes of the commits of the views, an event, while messages come in; with the one at closing."""
    bench.say(f"hearing {KEPT:,} more")
    with watching(Index, "before", "advance") as watched, Engine.open(guild.folder) as engine:
        Library(engine, [channel(0)], first=guild.next).say(Zipf(1).texts(KEPT))
    took = Spread.of([1000 * watched.computing / KEPT])
    by = sorted(watched.threads - {"MainThread"})
    waited = f"{1000 * watched.seconds / KEPT:.3g} ms beside the thread that commits the log"
    note = f"{watched.calls // 2} commits of the views, by {', '.join(by)}; {waited}"
    broken = "the thread that commits the log does it" if "writer" in by else ""
    return Row("keeping the index", "ms/event", took, goal=Goal("≤", 0.1), note=note, broken=broken)


def _changed(bench: Bench, guild: Guild) -> Row:
    """The same while messages change that were said long before, some hundred in a commit of the views."""
    bench.say(f"editing {EDITED:,} of them")
    with watching(Index, "before", "advance") as watched, Engine.open(guild.folder) as engine:
        Library(engine, [channel(0)], first=guild.next + 2 * KEPT).edit([*Zipf(2).texts(EDITED)])
    took = Spread.of([1000 * watched.computing / EDITED])
    note = f"{watched.calls // 2} commits of the views, each with the rows of what they had said in all spans"
    return Row("keeping the index, what was said is edited", "ms/event", took, goal=Goal("≤", 0.1), note=note)


def _made_anew(bench: Bench, guild: Guild) -> Row:
    bench.say("making the index anew")
    store = DiskStore(guild.folder, FOLD, writable=True)
    with watching(indexing, "make_index") as watched:
        rebuild(store, FOLD)
    store.close()
    rate = Spread.of([(guild.documents + KEPT) / watched.seconds])
    return Row("making the index anew", "documents/s", rate, goal=Goal("≥", 40_000))
