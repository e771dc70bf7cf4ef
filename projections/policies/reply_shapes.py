"""What a reply is asked to look like: the structs from which a model's JSON schema is made, where it can keep to one.

They are strict, and every field is there; what actually comes is read by `replies` and `merge_replies`, which take far
more. An empty `id` means a new item, an empty `matchText` none.
"""

from typing import Literal

import msgspec

AskedKind = Literal["preference", "fact", "project", "constraint", "person", "tool", "workflow"]


class AskedQuote(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The exact words, and the `id` of the line they stand in."""

    quote: str
    message: str


class AskedUpsert(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An item to add or to change."""

    id: str
    kind: AskedKind
    text: str
    tags: list[str]
    source: str
    type: Literal["semantic", "episodic"]
    about: Literal["person", "guild", "self", "owner"]
    confidence: float
    evidence: list[AskedQuote]
    shareable: bool
    valid_from: str | None
    valid_until: str | None


class AskedDeprecation(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"match_text": "matchText"}):
    """An item that no longer holds."""

    id: str
    reason: str
    match_text: str


class AskedExtraction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The one answer of an extraction: the fields of seeds 000, 003 and 004 together."""

    upserts: list[AskedUpsert]
    deprecations: list[AskedDeprecation]


class AskedMerge(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The answer of a merge (seed 004 §8.2); an empty summary says that the two are about different things."""

    merged_summary: str
    merged_dialogue: str
    confidence: float
