"""Why a reply ended, and what an answer is then. Loops are given every reply as it is, and judge by its `stop`."""

import msgspec

from dnam.model import Ask, ModelError, Reply, cut_short

DECLINED = "I cannot answer that."
"""What the assistant says where the model declined; what it had said until then is dropped, as the API asks."""
CUT = " …"


def as_asked(ask: Ask, reply: Reply) -> Reply:
    """The reply as whoever asked can use it. ModelError for an answer without a word in it, unless it calls tools, or
    said what there was to say before it called them.
    """
    if ask.purpose != "answer":
        return reply
    if reply.stop == "refusal":
        return msgspec.structs.replace(reply, text=DECLINED, calls=(), raw="")
    if reply.calls or (ask.rounds and not reply.text.strip()):
        return reply
    if not reply.text.strip():
        why = cut_short(reply) or "it ended before its first word"
        raise ModelError(f"{reply.model} sent no answer: {why}", spent=reply)
    if cut_short(reply):
        return msgspec.structs.replace(reply, text=reply.text.rstrip() + CUT)
    return reply
