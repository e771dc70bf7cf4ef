"""Which texts go into one request: a list has an end, by number and by length.

The limits are those of https://docs.voyageai.com/docs/embeddings: the smallest that any model has is 120,000 tokens in
a request; it is 1,000,000 for voyage-3.5-lite. A character is hardly ever more than a token.
"""

from collections.abc import Iterator, Sequence

MOST_TEXTS = 128
"""The SDK's own batch size, below the limit of every model."""
MOST_CHARACTERS = 100_000


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in order, in lists that the API takes. A text that is too long for any goes alone: the API cuts it."""
    batch: list[str] = []
    characters = 0
    for text in texts:
        if batch and (len(batch) == MOST_TEXTS or characters + len(text) > MOST_CHARACTERS):
            yield batch
            batch, characters = [], 0
        batch.append(text)
        characters += len(text)
    if batch:
        yield batch
