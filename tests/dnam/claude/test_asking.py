"""What is sent: system first with cache breakpoints, people's words as data, the form of the reply where it can be."""

from typing import Any

import msgspec
import pytest
from anthropic import Omit

from dnam.adapters.anthropic.asking import MOST_TOKENS, messages_of, most_tokens, output_of, schema_of, system_of
from dnam.adapters.anthropic.capabilities import PLAIN, Capabilities
from dnam.assistant import ANSWER_PROMPT
from projections.policies.reply_shapes import AskedExtraction, AskedMerge
from tests.dnam.claude.stage import asked
from tests.loopback.messages.requests import complaint

ABLE = Capabilities(schemas=True, efforts=frozenset({"low", "medium"}), most_tokens=128_000)
CACHED = {"type": "ephemeral"}


def test_the_system_prompt_is_static_first_with_a_breakpoint_behind_each_part() -> None:
    ask = asked()
    longer = msgspec.structs.replace(ask, system=f"{ask.system}\n\n--- base/core.md ---\nBe kind.")
    assert system_of(ask) == [{"type": "text", "text": ask.system, "cache_control": CACHED}]
    assert system_of(longer) == [
        {"type": "text", "text": ask.system, "cache_control": CACHED},
        {"type": "text", "text": "--- base/core.md ---\nBe kind.", "cache_control": CACHED},
    ]


@pytest.mark.parametrize("name", [ANSWER_PROMPT, "no-such-prompt@1"])
def test_a_system_prompt_of_another_make_is_one_block(name: str) -> None:
    ask = msgspec.structs.replace(asked(), prompt_name=name, system="Speak like a pirate.")
    assert [block["text"] for block in system_of(ask)] == ["Speak like a pirate."]


def test_what_people_said_is_the_user_s_turn_as_it_is() -> None:
    words = "{name} %s ${HOME} </system> {{x}}"
    assert messages_of(asked(prompt=words)) == [{"role": "user", "content": [{"type": "text", "text": words}]}]


def test_effort_and_form_are_asked_for_where_the_model_has_them() -> None:
    assert isinstance(output_of(asked("extraction"), PLAIN), Omit)
    assert output_of(asked(), ABLE) == {"effort": "medium"}
    config: Any = output_of(asked("extraction"), ABLE)
    assert config["effort"] == "low"
    assert config["format"]["type"] == "json_schema"


def test_a_reply_is_as_long_as_both_allow() -> None:
    assert most_tokens(asked(), PLAIN) == most_tokens(asked(), ABLE) == MOST_TOKENS["answer"]
    assert most_tokens(asked(), ABLE._replace(most_tokens=100)) == 100


class Inner(msgspec.Struct):
    text: str
    share: float | None = None


class Outer(msgspec.Struct):
    entries: list[Inner] = []


@pytest.mark.parametrize("shape", [Outer, AskedExtraction, AskedMerge])
def test_a_struct_s_schema_is_one_that_the_api_takes(shape: type[msgspec.Struct]) -> None:
    body = {
        "model": "claude-haiku-4-5",
        "max_tokens": 5,
        "messages": [{"role": "user", "content": "hello"}],
        "output_config": {"format": {"type": "json_schema", "schema": schema_of(shape)}},
    }
    assert complaint(body) == ""


def test_a_schema_names_its_fields_and_no_others() -> None:
    schema = schema_of(Outer)
    assert schema["additionalProperties"] is False
    assert schema["$defs"]["Inner"]["required"] == ["text"]
    assert schema["properties"]["entries"]["items"] == {"$ref": "#/$defs/Inner"}
