"""What goes into a batch: each question once, under an id that is its own, and as many as the API takes.

The limits are those of https://platform.claude.com/docs/en/build-with-claude/batch-processing: a batch has 100,000
requests or 256 MB, whichever is less, and a request's id has 1 to 64 of the characters `[a-zA-Z0-9_-]`.
"""

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from dnam.model import Ask

if TYPE_CHECKING:
    from anthropic.types.messages.batch_create_params import Request

ID_BYTES = 32
FRAME_BYTES = len('{"requests": []}')


class Limits(NamedTuple):
    """What a batch has at most."""

    requests: int = 100_000
    size_bytes: int = 256_000_000


LIMITS = Limits()


def custom_id(ask: Ask, model: str, key: bytes = b"") -> str:
    """The id of a question, 43 characters: a keyed digest of all that the model is asked, and of which model it is.

    The same question has the same id in every run; who asks is no part of it. Without the key nobody can hold a guess
    of what somebody said against it. The key has 64 bytes at most.
    """
    tools = [(each.name, each.description, _form(each.shape)) for each in ask.tools]
    form = _form(ask.shape) if ask.shape is not None else ""
    asked = (ask.purpose, model, ask.system, ask.prompt, form, tools, ask.rounds, ask.may_call)
    digest = hashlib.blake2b(msgspec.msgpack.encode(asked), digest_size=ID_BYTES, key=key).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


@cache
def _form(shape: type[msgspec.Struct]) -> str:
    """A shape as what it says, so that another version's is another."""
    return msgspec.json.encode(msgspec.json.schema(shape), order="deterministic").decode()


def packed(requests: "Iterable[Request]", limits: Limits = LIMITS) -> "Iterator[list[Request]]":
    """The requests in order, in lists that the API takes. One that is too large for any goes alone: the API says so."""
    pack: list[Request] = []
    size_bytes = FRAME_BYTES
    for request in requests:
        more = _size_bytes(request)
        if pack and (len(pack) == limits.requests or size_bytes + more > limits.size_bytes):
            yield pack
            pack, size_bytes = [], FRAME_BYTES
        pack.append(request)
        size_bytes += more
    if pack:
        yield pack


def _size_bytes(request: "Request") -> int:
    """The length of a request on the wire, or more: what is not ASCII is counted as escaped."""
    return len(json.dumps(request)) + len(", ")
