"""Which model a name stands for, where it is asked, and by which name it replies."""

from dnam.model import Ask, Hear, Model, Reply, unheard


def resolved(model: Model, name: str) -> str:
    """The model's own name that a name stands for."""
    if not model.paid:
        return model.name
    from dnam.adapters.anthropic.aliases import resolve

    return resolve(name)


class Names:
    """By which names models replied, as long as the program runs: a server that is not Anthropic's may give its model
    any name, whatever it is asked for.
    """

    def __init__(self) -> None:
        self._replied: dict[tuple[str, str], str] = {}

    def note(self, model: Model, asked: str, reply: Reply) -> None:
        """A model replied that was asked for by this name."""
        self._replied[model.name, asked] = reply.model

    def of(self, model: Model, name: str) -> str:
        """The name by which a model replies that is asked for by this one: as it did last, else its own."""
        return self._replied.get((model.name, name)) or resolved(model, name)


class Noted:
    """A `Model` of whose replies the names are noted."""

    def __init__(self, model: Model, names: Names) -> None:
        self._model = model
        self._names = names
        self.name, self.version, self.paid = model.name, model.version, model.paid

    async def ask(self, ask: Ask, hear: Hear = unheard) -> Reply:  # noqa: ARG002 - a loop waits for the whole reply
        """The reply as it comes."""
        reply = await self._model.ask(ask)
        if isinstance(reply, Reply):  # whoever asked says so where it is none
            self._names.note(self._model, ask.model, reply)
        return reply
