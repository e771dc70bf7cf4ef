"""Whose key seals what: a line for each event, and what its causes add."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import msgspec
import pytest

from projections import events as e
from projections.decisions.draft import Draft
from projections.events.summaries import SummaryEvent
from projections.events.values import (
    OPERATOR,
    PLATFORM,
    Audience,
    AuthorKind,
    Item,
    Limits,
    Message,
    ModelUse,
    RowWas,
    Source,
)
from projections.ids import NOBODY, UNSEALED, EventId, Handle, Point, Ref, VaultId
from projections.vaults import home
from replay import codec
from replay.engine import Engine
from replay.erasure import erase
from replay.errors import Refused
from replay.ring.keyring import ERA, LABELLED, SET
from tests.replay.stage import FakeClock, drafts, event_id
from tests.world import NOW, handle

OfItem = TypeVar("OfItem", bound=e.ItemEvent)
P, Q, R = (handle(name) for name in "PQR")
ROOM, HALL = Ref("discord", "1"), Ref("discord", "7")
GUILD, CHANNEL = Audience("guild", ROOM), Audience("channel", ROOM, 2)
DIRECT = Audience("direct", Ref("discord", f"dm:{P.hex()}"))
CALL = ModelUse("offline", "1")
UPTO = Point(NOW, EventId(b"u" * 16))


def heard(speaker: Handle) -> e.MessageHeard:
    message = Message(
        Ref("discord", "9"), ROOM, "s", GUILD, "person" if speaker else "bot", NOW, "hi", speaker, guild=HALL
    )
    return e.MessageHeard(said=NOW, by=PLATFORM, message=message)


def by_itself(audience: Audience, author: AuthorKind = "self") -> e.MessageHeard:
    message = Message(Ref("discord", "9"), audience.place, "s", audience, author, NOW, "hi", author_name="dnam")
    return e.MessageHeard(said=NOW, by=PLATFORM, message=message)


def by_bot(audience: Audience) -> e.MessageHeard:
    return by_itself(audience, "bot")


def edited(speaker: Handle) -> e.MessageEdited:
    return e.MessageEdited(said=NOW, by=PLATFORM, heard=event_id("h"), message=heard(speaker).message)


def answered(asker: Handle, audience: Audience, era: int = 0) -> e.TurnAnswered:
    return e.TurnAnswered(
        said=NOW, by=OPERATOR, session="s", place=ROOM, audience=audience, era=era, asker=asker,
        answers=event_id("h"), text="an answer", call=CALL, limits=Limits(),
    )  # fmt: skip


def unanswered(asker: Handle, audience: Audience) -> e.TurnFailed:
    return e.TurnFailed(
        said=NOW, by=OPERATOR, session="s", place=ROOM, audience=audience, era=0, asker=asker,
        answers=event_id("h"), error="529", call=CALL,
    )  # fmt: skip


def interrupted(asker: Handle, audience: Audience) -> e.TurnInterrupted:
    return e.TurnInterrupted(
        said=NOW, by=PLATFORM, session="s", audience=audience, era=0, asker=asker, answers=event_id("h"), call=CALL,
    )  # fmt: skip


def called(audience: Audience, compartment: str = "") -> e.ToolCalled:
    return e.ToolCalled(
        said=NOW, by=OPERATOR, session="s", place=ROOM, audience=audience, era=0, asker=P, answers=event_id("h"),
        tool="memory_write", input="{}", outcome="written", compartment=compartment,
    )  # fmt: skip


def of_session(kind: Callable[..., e.Event], audience: Audience, person: Handle = NOBODY, **more: Any) -> e.Event:
    return kind(said=NOW, by=OPERATOR, session="s", audience=audience, era=0, person=person, upto=UPTO, **more)


def item(kind: type[OfItem], owner: Handle, **more: Any) -> OfItem:
    whole = Item("durable-1", owner, "guild/discord:7", "fact", "tea", NOW, NOW, Source("manual"))
    return kind(said=NOW, by=OPERATOR, item=whole, **more)


def work(kind: Callable[..., e.Event], owner: Handle, **more: Any) -> e.Event:
    return kind(
        said=NOW, by=OPERATOR, owner=owner, compartment="guild/discord:7", after=None, upto=UPTO, call=CALL, **more
    )


def person(kind: Callable[..., e.Event], **more: Any) -> e.Event:
    return kind(said=NOW, by=OPERATOR, person=P, **more)


def place(person: Handle = NOBODY) -> e.PlaceDescribed:
    return e.PlaceDescribed(said=NOW, by=PLATFORM, place=ROOM, kind="channel", name="x", audience=GUILD, person=person)


def delivered(audience: Audience) -> e.TurnDelivered:
    turn = event_id("t")
    return e.TurnDelivered(said=NOW, by=PLATFORM, turn=turn, session="s", audience=audience, era=0, asker=P)


def withdrawn(audience: Audience) -> e.TurnWithdrawn:
    return e.TurnWithdrawn(
        said=NOW, by=PLATFORM, turn=event_id("t"), session="s", audience=audience, era=0, asker=P, turn_said=NOW,
        call=CALL,
    )  # fmt: skip


def quieted(audience: Audience) -> e.TurnQuieted:
    return e.TurnQuieted(
        said=NOW, by=PLATFORM, session="s", audience=audience, era=0, asker=P, quiet=(event_id("t"),)
    )  # fmt: skip


def reply_withdrawn(**fields: Any) -> e.ReplyWithdrawn:
    return e.ReplyWithdrawn(
        said=NOW, by=PLATFORM, reply=event_id("r"), work="summary", call=CALL, at=NOW, **fields
    )  # fmt: skip


REFUSED = e.ItemRefused(
    said=NOW, by=OPERATOR, owner=P, compartment="guild/discord:7", kind="fact", text="t", reason="r", policy="p"
)
SUMMARY = {"after": None, "call": CALL}
RULES: list[tuple[e.Event, int | None, set[Handle]]] = [
    (heard(P), SET, {P}),
    (heard(NOBODY), LABELLED, set()),
    (by_itself(GUILD), ERA, set()),
    (by_itself(CHANNEL), ERA, set()),
    (by_itself(DIRECT), SET, {P}),
    (by_bot(DIRECT), SET, {P}),
    (edited(P), SET, {P}),
    (edited(NOBODY), LABELLED, set()),
    (
        e.MessageDeleted(said=NOW, by=PLATFORM, heard=event_id("h"), session="s", audience=GUILD, heard_said=NOW),
        LABELLED,
        set(),
    ),
    (place(), LABELLED, set()),
    (place(P), SET, {P}),
    (e.PlaceAudienceChanged(said=NOW, by=PLATFORM, place=ROOM, audience=CHANNEL, previous=GUILD), LABELLED, set()),
    (answered(P, GUILD), ERA, {P}),
    (answered(P, CHANNEL), ERA, {P}),
    (answered(NOBODY, GUILD), ERA, set()),
    (answered(P, DIRECT), SET, {P}),
    (unanswered(P, GUILD), ERA, {P}),
    (unanswered(P, DIRECT), SET, {P}),
    (interrupted(P, GUILD), ERA, {P}),
    (interrupted(P, DIRECT), SET, {P}),
    (called(GUILD), ERA, {P}),
    (called(CHANNEL), ERA, {P}),
    (called(DIRECT), SET, {P}),
    (called(GUILD, "guild/discord:7"), SET, {P}),
    (withdrawn(GUILD), ERA, {P}),
    (withdrawn(DIRECT), SET, {P}),
    (quieted(GUILD), ERA, {P}),
    (quieted(DIRECT), SET, {P}),
    (e.TurnDelivered(said=NOW, by=PLATFORM, turn=event_id("t"), session="s", audience=GUILD, era=0, asker=P), ERA, {P}),
    (
        e.TurnDelivered(said=NOW, by=PLATFORM, turn=event_id("t"), session="s", audience=DIRECT, era=0, asker=P),
        SET,
        {P},
    ),
    *(
        (item(kind, owner, **more), SET if owner else LABELLED, {owner} if owner else set())
        for owner in (P, NOBODY)
        for kind, more in (
            (e.ItemRemembered, {}),
            (e.ItemUpserted, {}),
            (e.ItemDeprecated, {}),
            (e.ItemMerged, {}),
            (e.ItemEvicted, {"cap": 200}),
            (e.ItemForgotten, {}),
            (e.ItemRestored, {}),
            (e.ItemMoved, {"from_compartment": "self", "from_id": "durable-1"}),
            (e.ItemRedacted, {}),
            (e.ItemReverted, {"was": RowWas("item.upserted", NOW, OPERATOR)}),
        )
    ),
    (
        e.ItemRefused(
            said=NOW, by=OPERATOR, owner=P, compartment="guild/discord:7", kind="fact", text="t", reason="r", policy="p"
        ),
        SET,
        {P},
    ),
    *(
        (of_session(kind, audience, who, **more), ERA if audience is GUILD else SET, {who} if who else set())
        for audience, who in ((GUILD, NOBODY), (DIRECT, P))
        for kind, more in (
            (e.SummaryRefreshed, {**SUMMARY, "text": "t", "refresh": 1, "covered": 1}),
            (e.SummaryFailed, {**SUMMARY, "error": "down"}),
            (e.SummaryReset, {}),
            (e.SummaryReverted, {"text": "t", "refresh": 1, "covered": 1, "model": "m", "made": NOW}),
            (e.SummaryAnswered, {**SUMMARY, "reply": "r"}),
        )
    ),
    (of_session(e.SummaryWithheld, GUILD, NOBODY, refresh=1), LABELLED, set()),
    (of_session(e.SummaryWithheld, DIRECT, P, refresh=1), SET, {P}),
    (reply_withdrawn(owner=P, compartment="guild/discord:7"), SET, {P}),
    (reply_withdrawn(session="s", audience=GUILD), ERA, set()),
    (reply_withdrawn(session="s", audience=DIRECT, person=P), SET, {P}),
    (e.ItemWithdrawn(said=NOW, by=OPERATOR, owner=P, compartment="guild/discord:7", id="durable-1"), SET, {P}),
    (e.ItemWithdrawn(said=NOW, by=OPERATOR, owner=NOBODY, compartment="self", id="durable-1"), LABELLED, set()),
    (e.ItemClosed(said=NOW, by=OPERATOR, owner=P, compartment="guild/discord:7", id="durable-1"), SET, {P}),
    (e.ItemClosed(said=NOW, by=OPERATOR, owner=NOBODY, compartment="self", id="durable-1"), LABELLED, set()),
    (work(e.ExtractionAnswered, P, reply="r"), SET, {P}),
    (work(e.ExtractionFailed, P, error="down"), SET, {P}),
    (work(e.ExtractionReplied, P, reply="r"), SET, {P}),
    (work(e.MergeAnswered, P, reply="r"), SET, {P}),
    (work(e.MergeFailed, P, error="down"), SET, {P}),
    (work(e.MergeReplied, P, reply="r"), SET, {P}),
    (work(e.ReflectionAnswered, NOBODY, reply="r"), LABELLED, set()),
    (person(e.PersonSeen, platform="discord", platform_id="1", name="P"), SET, {P}),
    (person(e.PersonRenamed, platform="discord", platform_id="1", name="P", previous="p"), SET, {P}),
    (person(e.PersonNoted, note="kind"), SET, {P}),
    (person(e.NoticeGiven, place=ROOM), SET, {P}),
    (person(e.SnapshotPosted, place=ROOM, message=Ref("discord", "5"), digest=b"d"), SET, {P}),
    (e.ConfigSet(said=NOW, by=OPERATOR, scope="global", key="k", value="v"), LABELLED, set()),
    (e.ConfigSet(said=NOW, by=OPERATOR, scope="person/x", key="k", value="v", person=P), SET, {P}),
    (
        e.RederivationAdopted(
            said=NOW, by=OPERATOR, shadow=b"s" * 16, name=b"n" * 16, upto=1, people=1, items=1, summaries=0
        ),
        None,
        set(),
    ),
    (e.PersonOptedOut(said=NOW, by=PLATFORM, hashes=(b"h" * 32,)), None, set()),
    (e.PersonOptedIn(said=NOW, by=PLATFORM, hashes=(b"h" * 32,)), None, set()),
    (e.PersonErased(said=NOW, by=OPERATOR, vaults=(), hashes=(), until=NOW), None, set()),
    (e.ErasureCompleted(said=NOW, by=OPERATOR, erased=event_id("h")), None, set()),
    (e.MessageRedacted(said=NOW, by=PLATFORM, events=()), None, set()),
    (e.ModelResolved(said=NOW, by=PLATFORM, alias="haiku", model="m"), LABELLED, set()),
    (e.TextsEncoded(said=NOW, by=PLATFORM, call=CALL, kind="document", texts=2), LABELLED, set()),
    (e.TextsEncoded(said=NOW, by=PLATFORM, call=CALL, kind="query", texts=1, person=P), SET, {P}),
    (e.JobFailed(said=NOW, by=PLATFORM, job="snapshot", error="503"), LABELLED, set()),
    (e.JobFailed(said=NOW, by=PLATFORM, job="snapshot", error="503", person=P), SET, {P}),
    (e.ImportBegan(said=NOW, by=OPERATOR, formats=("locomo",)), LABELLED, set()),
    (
        e.ImportEnded(
            said=NOW,
            by=OPERATOR,
            began=event_id("h"),
            formats=(),
            first_said=0,
            last_said=0,
            messages=0,
            items=0,
            summaries=0,
        ),
        LABELLED,
        set(),
    ),
]


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.in_memory(FakeClock()) as made:
        yield made


def vault_of(engine: Engine, name: str, event: e.Event, *causes: str) -> VaultId:
    event = msgspec.structs.replace(event, causes=tuple(event_id(f"{cause} 0") for cause in causes))
    engine.record(drafts(event, name=name))
    stored = engine.store.log.get(engine.head().size)
    assert stored is not None
    return codec.decode_header(stored.header).vault


def test_every_event_has_its_rule() -> None:
    assert {type(event) for event, _, _ in RULES} == set(e.EVENTS)


@pytest.mark.parametrize(("event", "kind", "people"), RULES, ids=lambda value: getattr(value, "TAG", None))
def test_the_home_of_an_event_without_causes(
    engine: Engine, event: e.Event, kind: int | None, people: set[Handle]
) -> None:
    vault = vault_of(engine, "it", event)
    if kind is None:
        assert vault == UNSEALED
    else:
        assert engine.store.ring.vaults[vault].kind == kind
    assert engine.store.ring.people(vault) == people


@pytest.mark.parametrize(("event", "kind", "people"), RULES, ids=lambda value: getattr(value, "TAG", None))
def test_causes_add_their_people(engine: Engine, event: e.Event, kind: int | None, people: set[Handle]) -> None:
    ring = engine.store.ring
    vault_of(engine, "where", msgspec.structs.replace(place(), guild=HALL))
    q = vault_of(engine, "from Q", in_direct(heard(Q)) if _is_for_one(event) else heard(Q))
    both = vault_of(
        engine, "of Q and R", answered(R, DIRECT) if _is_for_one(event) else item(e.ItemUpserted, R), "from Q"
    )
    vault = vault_of(engine, "it", event, "from Q", "of Q and R")
    expected = frozenset() if kind is None else people | {Q, R}
    assert ring.people(vault) == expected
    if kind == LABELLED:
        assert ring.vaults[vault].kind == SET
    assert ring.people(q) == {Q}
    assert ring.people(both) == {Q, R}


def in_direct(event: e.MessageHeard) -> e.MessageHeard:
    return msgspec.structs.replace(event, message=msgspec.structs.replace(event.message, audience=DIRECT))


def _is_for_one(event: e.Event) -> bool:
    """The summary of a DM rests on what was said there."""
    return isinstance(event, SummaryEvent) and event.audience == DIRECT


def test_one_set_has_one_vault_and_it_never_grows(engine: Engine) -> None:
    own = vault_of(engine, "1", heard(P))
    vault_of(engine, "2", heard(Q))
    both = vault_of(engine, "3", item(e.ItemUpserted, P), "2")
    assert vault_of(engine, "4", item(e.ItemUpserted, Q), "1") == both
    assert vault_of(engine, "5", answered(P, DIRECT), "1") == own
    assert vault_of(engine, "6", answered(P, DIRECT), "2") == both
    assert engine.store.ring.people(own) == {P}
    assert engine.store.ring.people(both) == {P, Q}


def test_an_era_grows_by_whoever_is_drawn_on(engine: Engine) -> None:
    vault_of(engine, "1", heard(Q))
    era = vault_of(engine, "2", answered(P, GUILD))
    assert vault_of(engine, "3", answered(R, GUILD), "1") == era
    assert engine.store.ring.people(era) == {P, Q, R}
    assert vault_of(engine, "4", answered(P, GUILD, era=1)) != era
    assert vault_of(engine, "5", answered(P, Audience("guild", ROOM, 1))) != era


def test_naming_somebody_adds_nobody(engine: Engine) -> None:
    assert home(heard(P)).people == {P}
    assert vault_of(engine, "1", heard(P)) == vault_of(engine, "2", edited(P))


def test_causes_within_one_decision_count(engine: Engine) -> None:
    first = Draft(event_id("a"), heard(P))
    item_event = item(e.ItemUpserted, Q)
    second = Draft(event_id("b"), msgspec.structs.replace(item_event, causes=(first.id,)))
    engine.record(lambda rows: [first, second])
    stored = engine.store.log.get(2)
    assert stored is not None
    assert engine.store.ring.people(codec.decode_header(stored.header).vault) == {P, Q}


def test_a_cause_that_is_not_in_the_log_is_refused(engine: Engine) -> None:
    with pytest.raises(Refused, match=r"config\.set names a cause that is not in the log: "):
        vault_of(engine, "1", e.ConfigSet(said=NOW, by=OPERATOR, scope="s", key="k", value="v"), "never")
    assert engine.head().size == 0


def test_a_cause_that_was_erased_is_refused(engine: Engine) -> None:
    vault_of(engine, "1", heard(P))
    erase(engine, P)
    with pytest.raises(Refused, match="rests on something that was erased"):
        vault_of(engine, "2", item(e.ItemUpserted, Q), "1")


def test_what_is_stored_in_the_clear_cannot_be_redacted(engine: Engine) -> None:
    vault_of(engine, "1", e.PersonOptedOut(said=NOW, by=OPERATOR, hashes=(bytes(32),)))
    with pytest.raises(Refused, match="stored unsealed"):
        vault_of(engine, "2", e.MessageRedacted(said=NOW, by=OPERATOR, events=(event_id("1 0"),)))
    assert engine.head().size == 1


def test_what_was_redacted_may_still_be_a_cause(engine: Engine) -> None:
    vault_of(engine, "1", heard(P))
    engine.record(drafts(e.MessageRedacted(said=NOW, by=PLATFORM, events=(event_id("1 0"),)), name="r"))
    assert engine.store.ring.people(vault_of(engine, "2", item(e.ItemUpserted, Q), "1")) == {P, Q}


def test_an_event_without_a_rule_goes_to_a_vault_of_nobody() -> None:
    class Odd(e.Event, frozen=True, kw_only=True):
        TAG = "odd.thing"

    assert home(Odd(said=NOW, by=OPERATOR)).label == "unplaced"


def test_a_forward_is_sealed_for_who_shows_it_and_who_said_it(engine: Engine) -> None:
    vault_of(engine, "said", heard(Q))
    forward = vault_of(engine, "forward", heard(P), "said")
    assert engine.store.ring.people(forward) == {P, Q}
    erase(engine, Q)
    assert forward in engine.store.log.erased_vaults()
