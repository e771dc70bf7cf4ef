"""The questions that wait for a batch to answer them.

Whoever asks the same waits for the same reply, and a question that nobody waits for any more is none.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from dnam.adapters.anthropic.asking import params_of
from dnam.adapters.anthropic.batch_results import Result
from dnam.adapters.anthropic.capabilities import Capabilities
from dnam.model import Ask, ModelError, Reply

if TYPE_CHECKING:
    from anthropic.types.messages.batch_create_params import Request

MOST_SENT = 3
"""In how many batches a question is sent at most before it has failed."""


class Question:
    """What is asked of which model, and how many wait for the reply."""

    def __init__(self, ask: Ask, model: str) -> None:
        self.ask = ask
        self.model = model
        self.waiters = 0
        self.reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()

    def request(self, id_: str, able: Capabilities) -> "Request":
        """The question as a batch has it."""
        return {"custom_id": id_, "params": params_of(self.ask, self.model, able)}


class Questions:
    """Those that wait, by their ids."""

    def __init__(self) -> None:
        self._waiting: dict[str, Question] = {}
        self._times_sent = Counter[str]()

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, id_: object) -> bool:
        return id_ in self._waiting

    def ids(self) -> tuple[str, ...]:
        """In the order in which they were asked."""
        return tuple(self._waiting)

    def of(self, ids: Iterable[str]) -> dict[str, Question]:
        """Some of them."""
        return {each: self._waiting[each] for each in ids}

    async def wait(self, id_: str, ask: Ask, model: str) -> Reply:
        """The reply to a question, or its error."""
        question = self._waiting.setdefault(id_, Question(ask, model))
        question.waiters += 1
        try:
            return await asyncio.shield(question.reply)
        finally:
            question.waiters -= 1
            if not question.waiters and self._waiting.get(id_) is question:
                self._taken(id_)

    def sent(self, ids: Iterable[str]) -> None:
        """They are in one more batch."""
        self._times_sent.update(ids)

    def answered(self, id_: str, reply: Reply) -> None:
        """Hand a reply to whoever waits for it."""
        if id_ in self._waiting:
            self._taken(id_).reply.set_result(reply)

    def failed(self, result: Result, error: ModelError) -> None:
        """Hand an error to whoever waits, unless it helps to ask again: then it waits for the next batch."""
        times = self._times_sent[result.id]
        if result.id in self._waiting and not (result.again and times < MOST_SENT):
            self._taken(result.id).reply.set_exception(_in_the_end(error, times) if result.again else error)

    def _taken(self, id_: str) -> Question:
        self._times_sent.pop(id_, None)
        return self._waiting.pop(id_)


def _in_the_end(error: ModelError, times: int) -> ModelError:
    """The error of the last try, and how many there were."""
    return ModelError(f"{error}; it was sent {times} times", words=error.words, kind=error.kind)
