"""The prompt for a message, and the budgets that are in force for it."""

from collections.abc import Sequence
from typing import cast

import msgspec

from dnam import arguments
from dnam.configuration import value_for
from dnam.placing import Placing
from dnam.whereabouts import Heard
from projections.context import Context, Request, assemble
from projections.events.values import FileDigest, Limits, Scoring
from projections.messages import MessageRow
from projections.nearness import Nearness
from projections.rows import Found, Rows
from projections.tokens import CHARACTERS, Counter


class Prompting(Placing):
    """What a memory tells the assistant before it answers."""

    counter: Counter = CHARACTERS
    """What counts the tokens of a prompt: whoever knows their model's tokenizer sets another one."""

    def request(self, heard: Heard, *, files: Sequence[FileDigest] = (), actions: str = "") -> Request:
        """What a prompt for this message is made for."""
        return self._request(heard, files, actions, self.limits())

    def _request(self, heard: Heard, files: Sequence[FileDigest], actions: str, limits: Limits) -> Request:
        arguments.of_kind(Heard, heard=heard)
        arguments.strings(actions=actions)
        return Request(
            setting=heard.setting,
            session=heard.session,
            point=heard.point,
            assistant=self.settings.assistant_name,
            vocabulary=self.vocabulary,
            text=heard.text,
            limits=limits,
            files=arguments.each(FileDigest, files=files),
            actions=actions,
            counter=self.counter,
        )

    def limits(self) -> Limits:
        """The budgets in force. What is switched off has none; the recent conversation is no memory."""
        settings = self.settings
        durable = settings.memory_enabled and settings.durable_memory_enabled
        return Limits(
            items=settings.durable_inject_max_items if durable else 0,
            item_chars=settings.durable_inject_max_chars,
            history_messages=settings.message_history_count,
            history_chars=settings.message_history_budget,
            summary_chars=settings.summary_max_chars if settings.memory_enabled and settings.summary_enabled else 0,
            scoring=cast(Scoring, settings.scoring),
            room_items=settings.room_max_items if durable else 0,
            room_chars=settings.room_max_chars,
            passages=settings.passages if settings.memory_enabled else 0,
            passage_chars=settings.passages_max_chars,
            tokens=settings.prompt_max_tokens,
            counter=self.counter.name,
        )

    def limits_in(self, rows: Rows, heard: Heard) -> Limits:
        """The budgets in force for a person in a place: `dnam config` may give it a history of its own."""
        arguments.of_kind(Rows, rows=rows)
        arguments.of_kind(Heard, heard=heard)
        setting = heard.setting
        history = value_for(rows, self.settings, "context_history", setting.person, heard.place, setting.guild)
        return msgspec.structs.replace(self.limits(), history_messages=int(history))

    async def context(self, heard: Heard, *, files: Sequence[FileDigest] = (), actions: str = "") -> Context:
        """The prompt for a message, and what every line of it rests on."""
        return await self.look(lambda rows: self.assembled(rows, heard, files=files, actions=actions))

    def assembled(
        self,
        rows: Rows,
        heard: Heard,
        *,
        files: Sequence[FileDigest] = (),
        actions: str = "",
        recall: bool = True,
        nearness: Nearness | None = None,
        message: Found[MessageRow] | None = None,
    ) -> Context:
        """The prompt for a message, from these rows; made without `recall` where that fails. With `nearness`, what was
        said and what is known are found by their meaning too. `message` is what is answered, where it may not be among
        the rows yet.
        """
        arguments.of_kind(bool, recall=recall)
        arguments.perhaps(Nearness, nearness=nearness)
        arguments.perhaps(Found, message=message)
        limits = self.limits_in(rows, heard)
        if not recall:
            limits, nearness = without_recall(limits), None
        request = self._request(heard, files, actions, limits)
        return assemble(rows, request._replace(message=message, nearness=nearness))


def without_recall(limits: Limits) -> Limits:
    """The same budgets for a prompt that is made by DNAM's scoring alone, and without past conversations."""
    return msgspec.structs.replace(limits, scoring="dnam", passages=0)
