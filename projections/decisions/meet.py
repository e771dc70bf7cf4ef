"""Meeting people: from a platform's account to a handle, within a decision."""

from typing import NamedTuple

from projections.consent import ERASED, OPTED_OUT, is_out
from projections.decisions.draft import Draft, Minter, Origin
from projections.events import PersonOptedOut, PersonRenamed, PersonSeen
from projections.events.values import OPERATOR, PLATFORM
from projections.ids import NOBODY, Handle
from projections.people import names_of, person_of
from projections.rows import Rows


class Account(NamedTuple):
    """Somebody as a platform names them. `name` is what its person goes by everywhere, empty when the platform did not
    say: then they go on by the name that they had. `username` is what it calls the account itself, where it is known
    that its person may go by another name.
    """

    platform: str
    id: str
    name: str = ""
    username: str = ""


class Meeting:
    """The people that one decision meets: known handles, or fresh ones that the shell handed in, and the events of
    it. `said` is when they had these names; `heard`, where that is earlier, when they were first spoken of. Who is
    `welcome` is known to have neither opted out nor been erased since.
    """

    def __init__(
        self,
        rows: Rows,
        minter: Minter,
        fresh: tuple[Handle, ...],
        said: int,
        heard: int | None = None,
        welcome: frozenset[Account] = frozenset(),
    ) -> None:
        self._rows = rows
        self._minter = minter
        self._fresh = iter(fresh)
        self._said = said
        self._heard = said if heard is None else heard
        self._welcome = welcome
        self._met: dict[tuple[str, str], Handle] = {}
        self.drafts: list[Draft] = []

    def handle(self, account: Account) -> Handle:
        """The handle of an account; NOBODY for somebody who opted out, or was erased after this was said."""
        key = (account.platform, account.id)
        if key not in self._met:
            self._met[key] = self._look_up(account)
        return self._met[key]

    def _look_up(self, account: Account) -> Handle:
        if account not in self._welcome and is_unwelcome(self._rows, account, self._heard):
            return NOBODY
        found = person_of(self._rows, account.platform, account.id)
        if found is None:
            return self.see(account)
        person, name = found.row.person, found.row.name
        if self._said >= found.row.said or not name:  # who has no name yet gets one, whenever they had it
            said, own = max(self._said, found.row.said), account.username
            shown = account.name or name or own
            if own and not self._is_known_as(person, account.platform, own, shown):
                self._renamed(account, person, own, name, said)
                name = own
            if shown and shown != name:
                self._renamed(account, person, shown, name, said)
        return person

    def _is_known_as(self, person: Handle, platform: str, own: str, shown: str) -> bool:
        """Whether somebody is found by their account's own name: who was met before it was recorded is not. Case makes
        no other name.
        """
        if own.casefold() == shown.casefold():
            return True
        names = (each.name for each in names_of(self._rows, person) if each.platform == platform)
        return any(own.casefold() == each.casefold() for each in names)

    def see(self, account: Account) -> Handle:
        """Record that an account belongs to the next fresh handle: under its own name, and then under the one that its
        person goes by, so that they are found by either. Case makes no other name.
        """
        handle, own = next(self._fresh), account.username
        first = account.name if own.casefold() == account.name.casefold() else own or account.name
        self._record(PersonSeen(
            said=self._said, by=PLATFORM, person=handle, platform=account.platform, platform_id=account.id, name=first,
        ))  # fmt: skip
        if account.name and account.name != first:
            self._renamed(account, handle, account.name, first, self._said)
        return handle

    def _renamed(self, account: Account, person: Handle, name: str, previous: str, said: int) -> None:
        self._record(PersonRenamed(
            said=said, by=PLATFORM, person=person, platform=account.platform, platform_id=account.id,
            name=name, previous=previous,
        ))  # fmt: skip

    def _record(self, event: PersonSeen | PersonRenamed) -> None:
        self.drafts.append(self._minter.draft(event))


def is_opted_out(rows: Rows, account: Account) -> bool:
    """Whether nothing of this account is to be recorded."""
    return _is_out(rows, rows.ids.keyed_hash(account.platform, account.id))


def is_unwelcome(rows: Rows, account: Account, said: int) -> bool:
    """Whether nothing that this account said at `said` is to be recorded: it opted out, or its person did with another
    one of theirs, or they were erased since.
    """
    hashed = rows.ids.keyed_hash(account.platform, account.id)
    if _is_out(rows, hashed) or _is_gone(rows, hashed, said):
        return True
    found = person_of(rows, account.platform, account.id)
    return found is not None and is_out(rows, found.row.person)


def _is_out(rows: Rows, hashed: bytes) -> bool:
    return rows.get(OPTED_OUT, hashed) is not None


def _is_gone(rows: Rows, hashed: bytes, said: int) -> bool:
    row = rows.get(ERASED, hashed)
    return row is not None and said <= row.until


def meet(
    rows: Rows, account: Account, origin: Origin, fresh: tuple[Handle, ...], said: int, person: Handle = NOBODY
) -> list[Draft]:
    """An account becomes known; with a `person`, as theirs (`--same-person`). Nothing when it is known as that already,
    and nothing of somebody who opted out, or was erased after `said`. With a person who opted out their account does,
    and that is all that is recorded of it.
    """
    found = person_of(rows, account.platform, account.id)
    if is_unwelcome(rows, account, said) or (found is not None and (not person or found.row.person == person)):
        return []
    if is_out(rows, person):
        hashed = rows.ids.keyed_hash(account.platform, account.id)
        return [Minter(rows, origin).draft(PersonOptedOut(said=said, by=OPERATOR, hashes=(hashed,)))]
    meeting = Meeting(rows, Minter(rows, origin), (person, *fresh) if person else fresh, said)
    meeting.see(account)
    return meeting.drafts
