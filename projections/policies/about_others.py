"""Facts about others than the speaker: they stay where they were said, or are kept nowhere (design §7).

whose words, about whom                           verdict
───────────────────────────────────────────────   ──────────────────────────────────────────────────────────────────
the speaker's own, about anybody                  kept in the compartment of the messages that it rests on, no wider
somebody else's, which the speaker quotes         nowhere: nobody knows who could hear it, and its source is not asked
a model's, about the assistant or its operator    nowhere: those layers are written by the operator alone

An item learned from a person lies with that person, in the compartment where they said it, also where it tells of
somebody else. What may become portable is for `promotion` to say, of kinds that tell of nobody else.
"""

from collections.abc import Sequence

from projections.events.values import About
from projections.policies.evidence import InputMessage
from projections.policies.grounding import quoted_in
from projections.policies.replies import Quote
from projections.policies.verdict import Verdict

VERSION = "about_others@1"
_OPERATORS: dict[About, str] = {"self": "the assistant itself", "owner": "the assistant's operator"}


def not_theirs(about: About | None, quotes: Sequence[Quote], inputs: Sequence[InputMessage]) -> Verdict | None:
    """Why an entry is no memory, if it is not the speaker's to tell."""
    layer = _OPERATORS.get(about) if about is not None else None
    if layer is not None:
        return Verdict(f"it is about {layer}: only the operator writes that", VERSION)
    words = [each.quote for each in quotes if each.quote]
    own = [_own_words(each.text) for each in inputs]
    whole = [each.text for each in inputs]
    if words and not quoted_in(words, own) and quoted_in(words, whole):
        return Verdict("it rests on somebody else's words, which the person only quoted", VERSION)
    return None


def _own_words(text: str) -> str:
    """A message without the lines that quote another: those that begin with `>`, and all behind `>>>`."""
    own: list[str] = []
    for line in text.splitlines():
        if line.lstrip().startswith(">>>"):
            break
        if not line.lstrip().startswith(">"):
            own.append(line)
    return "\n".join(own)
