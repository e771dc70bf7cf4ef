"""What a model replied about two close items, made into a value or rejected.

    {"merged_summary": …, "merged_dialogue": …, "confidence": …}       seed 004 §8.2

An empty or missing summary in a reply of that form says that the two are about different things: both stand.
"""

from typing import Annotated, Any

import msgspec

from projections.policies.replies import MOST_REPLY_CHARS, Unreadable
from projections.policies.reply_json import json_values
from projections.policies.text import MOST_ITEM_CHARS, tidy, whole

VERSION = "merge_replies@1"


class MergeReply(msgspec.Struct, frozen=True):
    """One text for both, empty where they stay apart; confidence in thousandths, None where the model is silent."""

    text: str
    confidence: int | None = None


class _WireMerge(msgspec.Struct):
    merged_summary: str | None
    merged_dialogue: Any = None
    confidence: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None


def read_merge(reply: str) -> MergeReply | Unreadable:
    """What a merge's reply says, or why it cannot be read."""
    if len(reply) > MOST_REPLY_CHARS:
        return Unreadable(f"the reply is longer than {MOST_REPLY_CHARS} characters")
    value = next((each for each in json_values(reply) if isinstance(each, dict) and "merged_summary" in each), None)
    if value is None:
        return Unreadable("the reply holds no JSON with `merged_summary`")
    try:
        return _read(msgspec.convert(value, _WireMerge))
    except ValueError as error:  # msgspec.ValidationError is one
        return Unreadable(whole(str(error)))


def _read(wire: _WireMerge) -> MergeReply:
    text = tidy(wire.merged_summary or "")
    if len(text) > MOST_ITEM_CHARS:
        raise ValueError(f"its text is longer than {MOST_ITEM_CHARS} characters")
    return MergeReply(text, None if wire.confidence is None else round(wire.confidence * 1000))
