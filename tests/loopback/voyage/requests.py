"""What is asked, held against the API's description: https://docs.voyageai.com/reference/embeddings-api."""

from typing import Any, NamedTuple

DIMENSIONS = {
    **dict.fromkeys(
        ("voyage-4-lite", "voyage-4", "voyage-4-large", "voyage-3.5-lite", "voyage-3.5", "voyage-3-large"),
        (256, 512, 1024, 2048),
    ),
    "voyage-law-2": (1024,),
}
"""The models of this server, and how many numbers their vectors may have; the default is 1024."""
TOKENS = {"voyage-3.5-lite": 1_000_000, "voyage-3.5": 320_000, "voyage-4-lite": 1_000_000, "voyage-4": 320_000}
"""How many tokens a request may have; 120,000 for the others."""
MOST_TEXTS = 1_000
MOST_TOKENS = 120_000
FIELDS = {"input", "model", "input_type", "truncation", "output_dimension", "output_dtype", "encoding_format"}


class Request(NamedTuple):
    """A request that was accepted."""

    body: dict[str, Any]
    headers: dict[str, str]

    @property
    def texts(self) -> list[str]:
        return list(self.body["input"])

    @property
    def dimensions(self) -> int:
        return int(self.body.get("output_dimension") or 1024)

    @property
    def tokens(self) -> int:
        return tokens_of(self.texts)


def tokens_of(texts: list[str]) -> int:
    """A token for four characters, and at least one for a text."""
    return sum(max(1, len(text) // 4) for text in texts)


def complaint(body: Any) -> str:
    """What the API says against a request; empty when nothing."""
    if not isinstance(body, dict) or not body.keys() <= FIELDS:
        return "Unknown arguments."
    texts, model = body.get("input"), body.get("model")
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        return "Input should be a list of strings."
    if not all(texts):
        return "Input cannot contain empty strings or empty lists."
    if len(texts) > MOST_TEXTS:
        return f"The batch size limit is {MOST_TEXTS}."
    if model not in DIMENSIONS:
        return f"Model {model} is not supported. Supported models are {sorted(DIMENSIONS)}."
    if body.get("output_dimension") not in (None, *DIMENSIONS[model]):
        return f"Model {model} supports output_dimension of {DIMENSIONS[model]}."
    if body.get("input_type") not in (None, "query", "document"):
        return "input_type is one of query, document."
    if body.get("encoding_format") not in (None, "base64"):
        return "encoding_format is base64."
    if tokens_of(texts) > TOKENS.get(model, MOST_TOKENS):
        return f"The max allowed tokens per submitted batch is {TOKENS.get(model, MOST_TOKENS)}."
    return ""
