"""What is said and where: messages, places, turns."""

import msgspec

from projections import events as e
from projections.events.values import (
    PLATFORM,
    Attachment,
    Audience,
    AuthorKind,
    By,
    FileDigest,
    ItemUse,
    LeftOut,
    Limits,
    Message,
    NearUse,
    PassageUse,
    Span,
)
from projections.ids import NOBODY, Ref
from tests.laws.teller import CALL, GUILD, Heard, Teller


def heard(told: Teller) -> None:
    room, said = told.any(told.rooms), told.later()
    n = told.any(room.people)
    author: AuthorKind = told.any(("person", "person", "person", "person", "bot", "webhook", "self", "unknown"))
    speaker = told.people[n] if author == "person" else NOBODY
    message = Message(
        ref=Ref("discord", f"88{len(told.told):016}"),
        place=room.place,
        session=room.session,
        audience=room.audience,
        author=author,
        said=said,
        text=told.text(),
        speaker=speaker,
        author_name="" if speaker else "Build Bot 3000",
        guild=None if room.audience.kind == "direct" else GUILD,
        spans=(Span(0, told.any(told.people), told.any(("mention", "quote"))),) if said % 3 == 0 else (),
        reply_to=told.heard[-1].message.ref if told.heard and said % 2 else None,
        attachments=(Attachment("holiday-in-valparaíso.png", 123_456, "a beach at dusk"),) if said % 5 == 0 else (),
        addressed=said % 2 == 0,
        medium=told.any(("text", "voice")),
    )
    by = By("person", speaker) if speaker else PLATFORM
    causes = told.window(room) if author == "self" else ()
    event = e.MessageHeard(said=said, by=by, causes=causes, message=message, era=told.any((0, 1)))
    told.heard.append(Heard(told.add(event), room, message))


def edited(told: Teller) -> None:
    old = told.hear()
    said = old.message.said + told.any((1000, 90_000))
    message = msgspec.structs.replace(old.message, text=told.text(), edited=said)
    by = By("person", message.speaker) if message.speaker else PLATFORM
    told.add(e.MessageEdited(said=said, by=by, causes=(old.id,), heard=old.id, message=message))


def deleted(told: Teller) -> None:
    old = told.hear()
    told.add(
        e.MessageDeleted(
            said=told.later(),
            by=PLATFORM,
            causes=(old.id,),
            heard=old.id,
            session=old.room.session,
            audience=old.message.audience,
            heard_said=old.message.said,
        )
    )


def described(told: Teller) -> None:
    room = told.any(told.rooms)
    direct = room.audience.kind == "direct"
    told.add(
        e.PlaceDescribed(
            said=told.later(),
            by=PLATFORM,
            place=room.place,
            kind="direct" if direct else told.any(("channel", "thread", "forum")),
            name="" if direct else told.any(("general-chatter", "the-war-room")),
            audience=room.audience,
            session=room.session,
            guild=None if direct else GUILD,
            person=told.people[room.people[0]] if direct else NOBODY,
        )
    )


def audience_changed(told: Teller) -> None:
    at = told.any((0, 1))
    room = told.rooms[at]
    audience = Audience(told.any(("guild", "channel")), room.place, room.audience.epoch + 1)
    event = e.PlaceAudienceChanged(
        said=told.later(),
        by=PLATFORM,
        place=room.place,
        audience=audience,
        previous=room.audience,
        session=room.session,
        guild=GUILD,
    )
    told.add(event)
    told.rooms[at] = room._replace(audience=audience)


def answered(told: Teller) -> None:
    asked = told.hear()
    uses = [(event, item) for event, item in told.items.values() if item.owner == asked.message.speaker][:3]
    causes = dict.fromkeys((asked.id, *told.window(asked.room), *(event for event, _ in uses)))
    turn = e.TurnAnswered(
        said=max(told.latest(*causes), told.said) + 1,
        by=By("model", name="offline", version="1"),
        causes=tuple(causes),
        session=asked.room.session,
        place=asked.room.place,
        audience=asked.message.audience,
        era=told.any((0, 0, 1)),
        asker=asked.message.speaker,
        answers=asked.id,
        text=told.text(),
        call=CALL,
        limits=Limits(scoring="recall", room_items=8, room_chars=1000, passages=5, passage_chars=2000, tokens=8000),
        nonce=f"{len(told.told)}",
        spans=(Span(0, asked.message.speaker),),
        items=tuple(ItemUse(item.owner, item.compartment, item.id, event) for event, item in uses),
        left_out=(LeftOut("history", "#1", "over 3,000 characters"),),
        files=(FileDigest("CLAUDE.md", bytes(32)),),
        assistant="dnam",
        policy="recall@1 context@5 compartments@2",
        passages=(PassageUse(asked.room.session, asked.message.audience.epoch, asked.message.said, asked.id),),
        encoder="voyage-3.5-lite/1024",
        nearest=(NearUse(1, asked.id),),
    )
    told.turns.append((told.add(turn), turn))


def unanswered(told: Teller) -> None:
    asked = told.hear()
    told.add(
        e.TurnFailed(
            said=max(asked.message.said, told.said) + 1,
            by=PLATFORM,
            causes=(asked.id,),
            session=asked.room.session,
            place=asked.room.place,
            audience=asked.message.audience,
            era=told.any((0, 0, 1)),
            asker=asked.message.speaker,
            answers=asked.id,
            error="529: overloaded",
            call=CALL,
            told="I cannot think just now.",
        )
    )


def interrupted(told: Teller) -> None:
    asked = told.hear()
    told.add(
        e.TurnInterrupted(
            said=max(asked.message.said, told.said) + 1,
            by=PLATFORM,
            causes=(asked.id,),
            session=asked.room.session,
            audience=asked.message.audience,
            era=told.any((0, 0, 1)),
            asker=asked.message.speaker,
            answers=asked.id,
            call=CALL,
        )
    )


def delivered(told: Teller) -> None:
    if not told.turns:
        answered(told)
    turn_id, turn = told.any(told.turns[-5:])
    told.add(
        e.TurnDelivered(
            said=turn.said,
            by=PLATFORM,
            causes=(turn_id,),
            turn=turn_id,
            session=turn.session,
            audience=turn.audience,
            era=turn.era,
            asker=turn.asker,
            messages=(Ref("discord", f"99{len(told.told):016}"),),
        )
    )


def called(told: Teller) -> None:
    """A tool was called: to note down what its asker said, or to look for something in all that stood before it."""
    asked = told.hear()
    noted = asked.message.speaker != NOBODY and told.any((True, False))
    before = () if noted else told.window(asked.room)
    told.add(
        e.ToolCalled(
            said=max(asked.message.said, told.said) + 1,
            by=By("model", name="offline", version="1"),
            causes=tuple(dict.fromkeys((asked.id, *before))),
            session=asked.room.session,
            place=asked.room.place,
            audience=asked.message.audience,
            era=told.any((0, 0, 1)),
            asker=asked.message.speaker,
            answers=asked.id,
            tool=told.any(("memory_write", "memory_search", "konversation_search")),
            input=told.text(),
            outcome=told.any(("written", "known", "refused", "found", "failed")),
            number=told.any((1, 4)),
            guild=asked.message.guild,
            compartment=asked.room.compartment if noted else "",
            reason=told.text(),
            items=tuple(
                ItemUse(owner, compartment, item_id, event)
                for (owner, compartment, item_id), (event, _) in list(told.items.items())[:1]
            )
            if noted
            else (),
            found=before[:1],
            besides=told.any(((), ("owner",))),
        )
    )


def withdrawn(told: Teller) -> None:
    """An answer was deleted; mostly its body goes with it, as the decision has it."""
    if not told.turns:
        answered(told)
    turn_id, turn = told.any(told.turns[-5:])
    said = max(told.later(), turn.said)
    if told.any((True, True, False)):
        told.add(e.MessageRedacted(said=said, by=PLATFORM, events=(turn_id,)))
    told.add(
        e.TurnWithdrawn(
            said=said,
            by=PLATFORM,
            causes=(turn_id,),
            turn=turn_id,
            session=turn.session,
            audience=turn.audience,
            era=turn.era,
            asker=turn.asker,
            turn_said=turn.said,
            call=CALL,
        )
    )


def quieted(told: Teller) -> None:
    """An answer left recall as it was given, or, which readers take as well, one from before or a message."""
    if not told.turns or told.any((True, False)):
        answered(told)
    turn_id, turn = told.any(told.turns[-2:])
    item = next(iter(told.items.values()), None)
    told.add(
        e.TurnQuieted(
            said=max(told.latest(turn_id), turn.said),
            by=By("policy", name="quiet", version="3"),
            causes=(turn_id,) if item is None else (item[0], turn_id),
            session=turn.session,
            audience=turn.audience,
            era=turn.era,
            asker=turn.asker,
            quiet=(turn_id, told.hear().id) if told.any((True, False, False)) else (turn_id,),
            policy="quiet@3",
        )
    )
