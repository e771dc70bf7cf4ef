"""Answering an interaction: the first answer, later edits, follow-ups. They need no token but the interaction's own."""

from tests.loopback.discord import talk
from tests.loopback.discord.errors import Refused, already_acknowledged, unknown, wrong_form
from tests.loopback.discord.interactions import Choice, Interaction, InteractionKind
from tests.loopback.discord.messages import Message, MessageFlag, MessageKind, Said
from tests.loopback.discord.rest import NO_CONTENT, Answer, Call, Route
from tests.loopback.discord.state import State
from tests.loopback.discord.wire import Wire
from tests.loopback.discord.writing import rewritten, written

REPLY, THINKING, UPDATE_LATER, UPDATE, CHOICES, FORM = 4, 5, 6, 7, 8, 9
FITTING = {
    InteractionKind.COMMAND: {REPLY, THINKING, FORM},
    InteractionKind.COMPONENT: {REPLY, THINKING, UPDATE_LATER, UPDATE, FORM},
    InteractionKind.COMPLETION: {CHOICES},
    InteractionKind.FORM: {REPLY, THINKING, UPDATE_LATER, UPDATE},
}
"""How each kind may be answered. (Discord's documentation, Receiving and Responding: Interaction Callback Type)"""
MOST_CHOICES = 25


def callback(state: State, call: Call) -> Answer:
    """The first answer."""
    interaction = _waiting(state, call)
    kind, data = call.body["type"], call.body.get("data") or {}
    if kind not in FITTING[interaction.kind] or (kind in (UPDATE, UPDATE_LATER) and interaction.source is None):
        raise wrong_form("type", "INTERACTION_CALLBACK_TYPE_INVALID", "This interaction cannot be answered so.")
    _answer(state, interaction, kind, data, call)
    interaction.callback = kind
    return Answer(_told(interaction)) if call.flag("with_response") else NO_CONTENT


def _answer(state: State, interaction: Interaction, kind: int, data: Wire, call: Call) -> None:
    match kind:
        case k if k == REPLY:
            interaction.original = _say(state, interaction, _said(state, interaction, data, call))
        case k if k == THINKING:
            flags = MessageFlag.LOADING | MessageFlag(data.get("flags") or 0) & MessageFlag.EPHEMERAL
            interaction.original = _say(state, interaction, Said(flags=flags))
        case k if k == UPDATE_LATER:
            interaction.original = interaction.source
        case k if k == UPDATE:
            interaction.original = interaction.source
            _rewrite(state, interaction, interaction.source, data, call)
        case k if k == CHOICES:
            interaction.choices = _choices(data)
        case _:
            interaction.form = data


def _choices(data: Wire) -> list[Choice]:
    choices = data.get("choices") or []
    if len(choices) > MOST_CHOICES:
        raise wrong_form("data.choices", "BASE_TYPE_BAD_LENGTH", f"Must be between 0 and {MOST_CHOICES} in length.")
    return [Choice(each["name"], each["value"]) for each in choices]


def _said(state: State, interaction: Interaction, data: Wire, call: Call) -> Said:
    said = written(state, interaction.channel, state.bot, data, call.uploads)
    said.flags |= MessageFlag(data.get("flags") or 0) & MessageFlag.EPHEMERAL
    return said


def _say(state: State, interaction: Interaction, said: Said) -> Message:
    """A message that answers; an ephemeral one stands in no channel."""
    channel, source = interaction.channel, interaction.source
    guild = channel.guild.id if channel.guild else None
    kind = MessageKind.REPLY if source else MessageKind.CONTEXT_MENU if _menu(interaction) else MessageKind.COMMAND
    message = Message(state.ids.next(), channel.id, guild, state.bot, said, kind, source)
    message.application_id = state.application.id
    message.metadata = interaction.metadata()
    if not message.ephemeral:
        return talk.post(state, channel, message)
    message.only_for = interaction.user
    state.tell(talk.message_event(state, "MESSAGE_CREATE", channel, message))
    return message


def _menu(interaction: Interaction) -> bool:
    return "target_id" in interaction.data


def _rewrite(state: State, interaction: Interaction, message: Message | None, body: Wire, call: Call) -> Message:
    if message is None or message.deleted:
        raise unknown("Message")
    said = rewritten(state, interaction.channel, message, body, call.uploads)
    said.flags &= ~MessageFlag.LOADING
    return talk.edit(state, interaction.channel, message, said)


def _told(interaction: Interaction) -> Wire:
    """What the first answer is answered with, when that is asked for."""
    about: Wire = {"id": str(interaction.id), "type": int(interaction.kind)}
    about["channel_id"] = str(interaction.channel.id)
    if interaction.channel.guild is not None:
        about["guild_id"] = str(interaction.channel.guild.id)
    message = interaction.original
    if message is None:
        return {"interaction": about}
    about["response_message_id"] = str(message.id)
    about["response_message_loading"] = message.loading
    about["response_message_ephemeral"] = message.ephemeral
    shape = UPDATE if interaction.callback in (UPDATE, UPDATE_LATER) else REPLY
    return {"interaction": about, "resource": {"type": shape, "message": message.wire()}}


def follow(state: State, call: Call) -> Answer:
    """One more message. If the first answer is still that the bot thinks, this becomes it, as on Discord."""
    interaction = _answered(state, call)
    if interaction.original is not None and interaction.original.loading:
        message = _rewrite(state, interaction, interaction.original, call.body, call)
    else:
        message = _say(state, interaction, _said(state, interaction, call.body, call))
        interaction.followups.append(message)
    return Answer(message.wire()) if call.flag("wait") else NO_CONTENT


def read(state: State, call: Call) -> Answer:
    return Answer(_message(_answered(state, call), call).wire())


def edit(state: State, call: Call) -> Answer:
    interaction = _answered(state, call)
    return Answer(_rewrite(state, interaction, _message(interaction, call), call.body, call).wire())


def delete(state: State, call: Call) -> Answer:
    interaction = _answered(state, call)
    message = _message(interaction, call)
    if message.ephemeral:
        message.deleted = True
    else:
        talk.delete(state, interaction.channel, [message])
    return NO_CONTENT


def _message(interaction: Interaction, call: Call) -> Message:
    mine = [interaction.original, *interaction.followups]
    wanted = call.id("message_id") if "message_id" in call.path else None
    found = interaction.original if wanted is None else next((m for m in mine if m and m.id == wanted), None)
    if found is None or found.deleted:
        raise unknown("Message")
    return found


def _waiting(state: State, call: Call) -> Interaction:
    found = state.interactions.get(call.id("interaction_id"))
    if found is None or found.expired or found.token != call.path["interaction_token"]:
        raise unknown("Interaction")
    if found.callback is not None:
        raise already_acknowledged()
    return found


def _answered(state: State, call: Call) -> Interaction:
    token = call.path["webhook_token"]
    found = next((each for each in state.interactions.values() if each.token == token), None)
    if found is None or found.callback is None or call.id("webhook_id") != state.application.id:
        raise unknown("Webhook")
    if found.expired:
        raise Refused(401, 50027, "Invalid Webhook Token")
    return found


WEBHOOK = "/webhooks/{webhook_id}/{webhook_token}"
TABLE = (
    Route("POST", "/interactions/{interaction_id}/{interaction_token}/callback", callback, open=True),
    Route("POST", WEBHOOK, follow, open=True),
    *(
        Route(method, f"{WEBHOOK}/messages/{which}", handler, open=True)
        for which in ("@original", "{message_id}")
        for method, handler in (("GET", read), ("PATCH", edit), ("DELETE", delete))
    ),
)
