"""What differs between two states of a person's memory: learned, changed, dropped, restored."""

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from projections.items import ItemRow
from projections.lives import Address, address_of, changed_fields

Kind = Literal["learned", "changed", "dropped", "restored"]
ORDER: tuple[Kind, ...] = ("learned", "changed", "dropped", "restored")


class Difference(NamedTuple):
    """An item that is not as it was. `before` and `after` are its rows at either moment, None where there was none."""

    kind: Kind
    before: ItemRow | None
    after: ItemRow | None

    @property
    def row(self) -> ItemRow:
        """As it was last."""
        row = self.after or self.before
        assert row is not None, "nothing does not differ from nothing"
        return row


def differences(
    before: Iterable[ItemRow], after: Iterable[ItemRow], moved: Mapping[Address, Address]
) -> list[Difference]:
    """What is remembered after and was not before, and so on; by kind, then by address.

    `moved` says where an item was before that is somewhere else now: from the new address to the old.
    """
    then = {address_of(row.item): row for row in before}
    now = {address_of(row.item): row for row in after}
    came = {address: moved.get(address, address) for address in now}
    pairs = [(then.get(came[address]), row) for address, row in now.items()]
    gone = [(row, None) for address, row in then.items() if address not in came.values()]
    found = [Difference(kind, old, new) for old, new in (*pairs, *gone) if (kind := _kind(old, new))]
    return sorted(found, key=lambda each: (ORDER.index(each.kind), address_of(each.row.item)))


def _kind(before: ItemRow | None, after: ItemRow | None) -> Kind | None:
    was, is_ = (row is not None and row.item.status == "active" for row in (before, after))
    if was and is_:
        return "changed" if before and after and changed_fields(before.item, after.item) else None
    if was:
        return "dropped"
    if not is_:
        return None
    return "learned" if before is None else "restored"
