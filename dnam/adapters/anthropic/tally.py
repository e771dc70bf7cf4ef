"""What an ask took in all its tries: a stream that broke off was paid for as far as it had come."""

from collections.abc import Sequence

import msgspec

from dnam.model import Reply


def together(lost: Sequence[Reply]) -> Reply | None:
    """What tries took of which nothing came, as one reply without a word; None when there is nothing to pay."""
    if not lost:
        return None
    nothing = msgspec.structs.replace(
        lost[-1], text="", stop="", calls=(), raw="", tokens_in=0, tokens_out=0, tokens_cached=0
    )
    return added(msgspec.structs.replace(nothing, latency_ms=0, cost_micros=0), lost)


def added(reply: Reply, lost: Sequence[Reply]) -> Reply:
    """The reply, with what the tries before it took."""
    return msgspec.structs.replace(
        reply,
        tokens_in=reply.tokens_in + sum(each.tokens_in for each in lost),
        tokens_out=reply.tokens_out + sum(each.tokens_out for each in lost),
        tokens_cached=reply.tokens_cached + sum(each.tokens_cached for each in lost),
        latency_ms=reply.latency_ms + sum(each.latency_ms for each in lost),
        cost_micros=reply.cost_micros + sum(each.cost_micros for each in lost),
    )
