"""An event in a few words: a table, one line for each kind of event. For `dnam log` and whoever else lists events."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from projections.caller import with_names
from projections.counting import counted
from projections.events import (
    ConfigSet,
    ErasureCompleted,
    Event,
    ExtractionAnswered,
    ExtractionFailed,
    ExtractionReplied,
    ImportBegan,
    ImportEnded,
    ItemClosed,
    ItemDeprecated,
    ItemEvicted,
    ItemForgotten,
    ItemMerged,
    ItemMoved,
    ItemRedacted,
    ItemRefused,
    ItemRemembered,
    ItemRestored,
    ItemReverted,
    ItemUpserted,
    ItemWithdrawn,
    JobFailed,
    MergeAnswered,
    MergeFailed,
    MergeReplied,
    MessageDeleted,
    MessageEdited,
    MessageHeard,
    MessageRedacted,
    ModelResolved,
    NoticeGiven,
    PersonErased,
    PersonNoted,
    PersonOptedIn,
    PersonOptedOut,
    PersonRenamed,
    PersonSeen,
    PlaceAudienceChanged,
    PlaceDescribed,
    RederivationAdopted,
    ReflectionAnswered,
    ReplyWithdrawn,
    SnapshotPosted,
    SummaryAnswered,
    SummaryFailed,
    SummaryRefreshed,
    SummaryReset,
    SummaryReverted,
    SummaryWithheld,
    TextsEncoded,
    ToolCalled,
    TurnAnswered,
    TurnDelivered,
    TurnFailed,
    TurnInterrupted,
    TurnQuieted,
    TurnWithdrawn,
)
from projections.ids import Handle
from projections.people import SOMEONE
from projections.vaults import home


def _item(event: Any) -> str:
    return f"{event.item.id} [{event.item.kind}] {event.item.text}"


def _place(event: Any) -> str:
    """A DM is keyed by a handle, which says nothing to anybody."""
    if event.audience.kind == "direct":
        return "direct messages"
    return f"{event.kind} {event.name or event.place}, {event.audience.kind}"


def _because(event: Any) -> str:
    return f"{_item(event)}: {event.reason}" if event.reason else _item(event)


def _reply(event: Any) -> str:
    return f"{event.call.model} replied {event.reply}"


def _error(event: Any) -> str:
    return f"{event.call.model}: {event.error}"


def _text(event: Any) -> str:
    return str(event.text)


def _summary(event: Any) -> str:
    return " ".join((event.text, *(f"[a sentence was left out: {each}]" for each in event.left_out)))


def _accounts(count: int) -> str:
    """It lies in the clear and outlives them: so it names nobody."""
    return f"{counted(count, 'account')}, by keyed hash"


def _message(event: Any) -> str:
    return str(event.message.text)


def _called(event: Any) -> str:
    """A tool, what came of its call, and what it was asked."""
    named = f" {', '.join(dict.fromkeys(each.id for each in event.items))}" if event.items else ""
    said = f" {counted(len(event.found), 'event')}" if event.found else ""
    why = f" ({event.reason})" if event.reason else ""
    return f"{event.tool}, {event.outcome}{named}{said}{why}: {event.input}"


WORDS: Mapping[type[Event], Callable[[Any], str]] = {
    MessageHeard: _message,
    MessageEdited: _message,
    MessageDeleted: lambda event: f"a message of {event.session}",
    PlaceDescribed: _place,
    PlaceAudienceChanged: lambda event: f"{event.place}: {event.previous.kind} -> {event.audience.kind}",
    TurnAnswered: _text,
    TurnFailed: _error,
    TurnInterrupted: lambda event: f"an answer in {event.session} was broken off",
    TurnDelivered: lambda event: f"as {len(event.messages)} message(s)" if event.messages else "it arrived",
    TurnWithdrawn: lambda event: f"an answer in {event.session} was taken away",
    TurnQuieted: lambda event: f"an answer in {event.session} left recall: what it had before it was taken back",
    ToolCalled: _called,
    ItemRemembered: _item,
    ItemUpserted: _because,
    ItemDeprecated: _because,
    ItemMerged: lambda event: f"{_item(event)}, with {', '.join(each.id for each in event.absorbed)}",
    ItemEvicted: _because,
    ItemForgotten: _item,
    ItemRestored: _item,
    ItemMoved: lambda event: f"{_item(event)}, from {event.from_compartment}",
    ItemRedacted: _because,
    ItemWithdrawn: lambda event: f"{event.id}: {event.reason}",
    ItemReverted: _because,
    ItemRefused: lambda event: f"[{event.kind}] {event.text}: {event.reason}",
    SummaryRefreshed: _summary,
    SummaryFailed: _error,
    SummaryReset: lambda event: f"the summary of {event.session} was cleared",
    SummaryReverted: lambda event: f"the summary of {event.session} is as it was before",
    SummaryWithheld: lambda event: f"the summary of {event.session} is to be made anew",
    SummaryAnswered: _reply,
    ExtractionAnswered: _reply,
    ExtractionFailed: _error,
    ExtractionReplied: _reply,
    MergeAnswered: _reply,
    MergeFailed: _error,
    MergeReplied: _reply,
    ReflectionAnswered: _reply,
    ReplyWithdrawn: lambda event: f"the reply of {event.call.model} ({event.work}) was taken away",
    PersonSeen: lambda event: f"{event.name} ({event.platform}:{event.platform_id})",
    PersonRenamed: lambda event: f"{event.previous} -> {event.name} ({event.platform}:{event.platform_id})",
    PersonNoted: lambda event: str(event.note),
    NoticeGiven: lambda event: f"told in {'direct messages' if event.place.key.startswith('dm:') else event.place}",
    SnapshotPosted: lambda event: f"in {event.place}" if event.pinned else f"in {event.place}, not pinned",
    ConfigSet: lambda event: f"{event.scope} {event.key} {'is unset' if event.value is None else f'= {event.value}'}",
    PersonOptedOut: lambda event: _accounts(len(event.hashes)),
    PersonOptedIn: lambda event: _accounts(len(event.hashes)),
    PersonErased: lambda event: f"{counted(len(event.vaults), 'key')} destroyed",
    ErasureCompleted: lambda event: f"of {event.erased.hex()}",
    MessageRedacted: lambda event: f"{counted(len(event.events), 'body')} dropped",
    ImportBegan: lambda event: f"from {', '.join(event.formats)}",
    ImportEnded: lambda event: ", ".join(
        (counted(event.messages, "message"), counted(event.items, "item"), counted(event.summaries, "summary"))
    ),
    ModelResolved: lambda event: (
        f"{event.alias} is {event.model}" + (f", it was {event.previous}" if event.previous else "")
    ),
    TextsEncoded: lambda event: (
        f"{counted(event.texts, 'text')} by {event.call.model}" + (", in vain" if event.failed else "")
    ),
    RederivationAdopted: lambda event: (
        f"{counted(event.items, 'item')} and {counted(event.summaries, 'summary')}"
        + (", taken back" if event.undoes else f" by {event.model}")
    ),
    JobFailed: lambda event: f"{event.job}: {event.error}",
    ItemClosed: lambda event: f"{event.id}: {event.reason}",
}


def words(event: Event, name: Callable[[Handle], str] = lambda _: SOMEONE) -> str:
    """What an event says, in one line of any length, with the `name` of everybody whom a message or an answer names."""
    return " ".join(WORDS[type(event)](_naming(event, name)).split())


def _naming(event: Event, name: Callable[[Handle], str]) -> Event:
    """The event with names in its text: they lie beside it, where they can go with their people."""
    match event:
        case MessageHeard() | MessageEdited():
            said = event.message
            return replace(event, message=replace(said, text=with_names(said.text, said.spans, name), spans=()))
        case TurnAnswered():
            return replace(event, text=with_names(event.text, event.spans, name), spans=())
        case _:
            return event


def people_of(event: Event) -> frozenset[Handle]:
    """Whom an event is about, and whoever did it."""
    return home(event).people | ({event.by.person} if event.by.person else frozenset())


def session_of(event: Event) -> str:
    """The session in which it happened; empty for what happened in none."""
    if isinstance(event, MessageHeard | MessageEdited):
        return event.message.session
    return str(getattr(event, "session", ""))
