"""A memory with more people than a village has, and the same model behind the Messages API: for whoever derives it in a
process of its own.
"""

import json
from typing import Any

from dnam.model import Ask, ExtractionInputs, MergeInputs, Purpose, SummaryInputs
from tests.dnam.rederiving.village import GENERAL, STAFF, Village, reader
from tests.loopback.messages import Request, Says, Script
from tests.loopback.messages.offline import inputs_of, kept_to

PEOPLE = ("kim", "ada", "tobi", "ines")
DRINKS = ("green tea", "black coffee", "cold milk", "warm cider", "plum juice", "thin soup", "red wine", "rain")
PURPOSES: dict[type, Purpose] = {ExtractionInputs: "extraction", SummaryInputs: "summary", MergeInputs: "merge"}
ENVIRONMENT = {
    "DNAM_DURABLE_EVERY_N_TURNS": "2",
    "DNAM_SUMMARY_EVERY_N_TURNS": "3",
    "DNAM_LEARN": "heard",
    "DNAM_EXTRACTION_IDLE_MINUTES": "0",
    "DNAM_ENCODER": "none",
}
"""The settings of a village, for a process."""


async def chat(there: Village, rounds: int = 3) -> None:
    """Everybody says what they like in two channels, is learned from, and changes their mind now and then."""
    for number in range(rounds):
        for at, who in enumerate(PEOPLE):
            drink = DRINKS[(number * 3 + at) % len(DRINKS)]
            await there.say(who, f"I like {drink} number {number}", STAFF if (at + number) % 3 == 0 else GENERAL)
            await there.learn(who)
        await there.summarise()
        kim = await there.handle("kim")
        await there.memory.remember(kim, f"keeps {number} bees in the garden")
        await there.memory.forget(kim, f"likes {DRINKS[number * 3 % len(DRINKS)]} number {number}")
        await there.say("ada", f"I like {DRINKS[number]} with honey")
        await there.say("ada", f"I like {DRINKS[number]} with honey and salt")
        await there.learn("ada")
    await there.summarise(STAFF)


def replies(verb: str = "enjoys") -> Script:
    """What `reader(verb)` says, as the Messages API does."""
    scripts = reader(verb).scripts

    def script(request: Request) -> Says:
        inputs = next(inputs_of(request.prompt))
        ask = Ask(PURPOSES[type(inputs)], request.model, "", "", "", inputs)
        text = scripts[ask.purpose](ask)
        assert isinstance(text, str)
        return Says(text if request.schema is None else _shaped(request.schema, text))

    return script


def _shaped(schema: Any, text: str) -> str:
    return json.dumps(kept_to(schema, json.loads(text), schema))
