"""Who is in the sources of an import, read ahead of it: a name that is mistyped is found before anything is written,
since nothing that was recorded can be given to another account afterwards.
"""

from collections.abc import Iterable
from typing import NamedTuple

from dnam.importers.source import Arrived, ImportedItem, ImportFailed, Options, Source
from projections.decisions.hear import accounts
from projections.decisions.meet import Account


class Census(NamedTuple):
    """`accounts` are those of everybody, once under each of their names; `messages` says whether there are any, `own`
    whether the assistant wrote one. `broken` is the first error of a source that could not be read to its end: others
    may be in the rest.
    """

    accounts: frozenset[Account]
    messages: bool
    own: bool
    broken: ImportFailed | None = None

    def called(self, text: str) -> list[Account]:
        """Whoever has this id or this name."""
        return [each for each in self.accounts if text in names_of(each)]


def names_of(account: Account) -> tuple[str, str, str]:
    """What an account may be called."""
    return account.id, account.name, f"{account.platform}:{account.id}"


def census(sources: Iterable[Source], options: Options) -> Census:
    """Everybody in the sources, as far as they can be read."""
    found: set[Account] = set()
    broken: ImportFailed | None = None
    messages = own = False
    for source in sources:
        try:
            for arrival in source.read(options):
                if isinstance(arrival, Arrived):
                    messages, own = True, own or arrival.request.author == "self"
                    found.update(accounts(arrival.request))
                elif isinstance(arrival, ImportedItem) and arrival.account is not None:
                    found.add(arrival.account)
        except ImportFailed as error:
            broken = broken or error
    return Census(frozenset(found), messages, own, broken)
