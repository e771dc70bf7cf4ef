"""Merges: of two close items the one that says all that the other says, and more; else they stay apart.

It cannot weave two sentences into one, and of two that differ nobody here can tell whether they contradict each other.
"""

import json

from dnam.adapters.offline.words import Vocabulary
from dnam.languages import Language
from dnam.model import MergedItem, MergeInputs

CONFIDENCE = 0.9


class Merger:
    """Merges in one language."""

    def __init__(self, language: Language) -> None:
        self._vocabulary = Vocabulary(language)

    def merge(self, inputs: MergeInputs) -> str:
        """A JSON text: `{"merged_summary": …, "merged_dialogue": …, "confidence": …}`; an empty summary keeps them
        apart.
        """
        fuller = self._fuller(inputs.existing, inputs.new)
        dialogue = "" if fuller is None else "\n".join((*inputs.existing.dialogue, *inputs.new.dialogue))
        summary = "" if fuller is None else fuller.summary
        merged = {"merged_summary": summary, "merged_dialogue": dialogue, "confidence": CONFIDENCE}
        return json.dumps(merged, ensure_ascii=True)

    def _fuller(self, existing: MergedItem, new: MergedItem) -> MergedItem | None:
        """The item whose words are among the other's goes; of two with the same words the newer one stays."""
        old_words, new_words = self._vocabulary.key(existing.summary), self._vocabulary.key(new.summary)
        if old_words <= new_words:
            return new
        return existing if new_words < old_words else None
