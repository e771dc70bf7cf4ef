"""What an ask took in all its tries: a stream that broke off was paid for as far as it had come."""

from collections.abc import Sequence

import msgspec

from dnam.model import Reply
from dnam.taken import sum_of


def together(lost: Sequence[Reply]) -> Reply | None:
    """What tries took of which nothing came, as one reply without a word; None when there is nothing to pay."""
    total = sum_of(lost)
    return None if total is None else msgspec.structs.replace(total, text="", stop="", calls=(), raw="")
