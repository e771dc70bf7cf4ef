"""Who is in the sources of an import, read ahead of it: a name that is mistyped is found before anything is written,
since nothing that was recorded can be given to another account afterwards.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dnam.importers.discord_export import DiscordExport
from dnam.importers.locomo import LoCoMo
from dnam.importers.source import Arrived, ImportedItem, ImportFailed, Options, Skipped, Source, Writer
from projections.decisions.hear import accounts
from projections.decisions.meet import Account
from projections.quoting import one_line


class Census(NamedTuple):
    """`accounts` are those of everybody, once under each of their names. `broken` is the first error of a source that
    could not be read to its end: others may be in the rest.
    """

    accounts: frozenset[Account]
    broken: ImportFailed | None = None

    def called(self, text: str) -> list[Account]:
        """Whoever has this id or this name."""
        return [each for each in self.accounts if text in names_of(each)]


class Writers(NamedTuple):
    """Whoever wrote a message; `broken` as in a census."""

    all: frozenset[Writer]
    broken: ImportFailed | None = None

    def meant(self, text: str) -> list[Account]:
        """The accounts that the operator may mean, each id once: an id wins over a name, and a bot over people, since
        anybody can call themselves like the assistant. A webhook has a name only where it wrote under no other: of one
        that lends itself to many, like a proxy's, nobody is meant by what one of them is called.
        """
        wanted = text.casefold()
        named = [each for each in self.all if wanted in map(str.casefold, each.names)]
        by_id = [each for each in self.all if text in (each.account.id, _full_id(each.account))]
        bots = [each for each in named if each.kind == "bot"]
        others = [each for each in named if each.kind == "person" or (each.kind == "webhook" and self._has_one(each))]
        found = {_full_id(each.account): each.account for each in by_id or bots or others}
        return [found[each] for each in sorted(found)]

    def _has_one(self, webhook: Writer) -> bool:
        """Whether a webhook wrote everything under the same name."""
        own = _full_id(webhook.account)
        return len({each.account.username.casefold() for each in self.all if _full_id(each.account) == own}) == 1

    def lent(self, text: str) -> list[str]:
        """The ids of the webhooks that wrote under this name, and under others."""
        wanted = text.casefold()
        found = [each for each in self.all if each.kind == "webhook" and wanted in map(str.casefold, each.names)]
        return sorted({each.account.id for each in found if not self._has_one(each)})

    def described(self) -> list[str]:
        """Everybody who may be meant, with their ids, each id once."""
        named = {
            _full_id(each.account): f"{one_line(each.account.name or each.account.username)} ({each.account.id})"
            for each in self.all
        }
        return sorted(named.values())


def names_of(account: Account) -> tuple[str, ...]:
    """What an account may be called."""
    return account.id, account.name, account.username, _full_id(account)


def _full_id(account: Account) -> str:
    return f"{account.platform}:{account.id}"


def census(sources: Iterable[Source], options: Options) -> Census:
    """Everybody in the sources, as far as they can be read."""
    found: set[Account] = set()
    broken: ImportFailed | None = None
    for source in sources:
        try:
            for arrival in source.read(options):
                if isinstance(arrival, Arrived):
                    found.update(accounts(arrival.request))
                elif isinstance(arrival, ImportedItem) and arrival.account is not None:
                    found.add(arrival.account)
        except ImportFailed as error:
            broken = broken or error
    return Census(frozenset(found), broken)


def writers(sources: Iterable[Source]) -> Writers:
    """Whoever wrote a message in the sources, as far as they can be read."""
    found: set[Writer] = set()
    broken: ImportFailed | None = None
    for source in sources:
        try:
            found.update(_writers_in(source))
        except ImportFailed as error:
            broken = broken or error
    return Writers(frozenset(found), broken)


def _writers_in(source: Source) -> Iterator[Writer]:
    return source.writers() if isinstance(source, DiscordExport | LoCoMo) else iter(())


def refuse_misfits(sources: Iterable[Source], options: Options) -> None:
    """BadRequest where the options do not fit a source, which its first message shows: it may be no one person's DM."""
    if options.audience != "dm" and "dm" not in options.audiences.values():
        return
    for source in sources:
        try:
            next((each for each in source.read(options) if not isinstance(each, Skipped)), None)
        except ImportFailed:
            continue  # the import itself tells of it, behind what can be read
