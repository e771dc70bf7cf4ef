"""LoCoMo's file as far as it is for evaluation: the turns, what is asked of them, and facts with their sources."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from dnam.importers.locomo import SESSION, LoCoMo
from projections.errors import BadRequest

CATEGORIES: Mapping[int, str] = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""What the numbers in the file mean."""

_ID = re.compile(r"D\s*:?\s*(\d+)\s*:\s*(\d+)", re.IGNORECASE)


class Turn(NamedTuple):
    """A turn: its id in the file, who says it, and what, with the caption of its image."""

    id: str
    speaker: str
    text: str


class Question(NamedTuple):
    """A question and the turns that its answer rests on; `category` is one of CATEGORIES' numbers."""

    text: str
    category: int
    evidence: tuple[str, ...]


class Fact(NamedTuple):
    """What a good extractor would note of a speaker, and the turns that it rests on."""

    speaker: str
    text: str
    evidence: tuple[str, ...]


class Talk(NamedTuple):
    """A conversation. `key` is what the importer calls it; `dropped` are ids of evidence that name no turn, as they
    stand in the file; `unscored` counts the questions that are left without evidence.
    """

    key: str
    speakers: tuple[str, ...]
    turns: Mapping[str, Turn]
    questions: tuple[Question, ...]
    facts: tuple[Fact, ...]
    dropped: tuple[str, ...]
    unscored: int


class _Turn(msgspec.Struct):
    speaker: str
    dia_id: str
    text: str | None = ""
    blip_caption: str | None = None


class _Question(msgspec.Struct):
    question: str
    category: int
    evidence: list[str] = []


class _Sample(msgspec.Struct):
    conversation: dict[str, Any]
    qa: list[_Question]
    observation: dict[str, dict[str, list[tuple[str, str | list[str]]]]] = {}


def read_talks(path: Path) -> list[Talk]:
    """The conversations of a file. Raises BadRequest when it is not LoCoMo's, or asks nothing."""
    try:
        samples = msgspec.json.decode(path.read_bytes(), type=list[_Sample])
    except OSError as error:
        raise BadRequest(f"{path} cannot be read: {error.strerror}") from error
    except msgspec.DecodeError as error:  # a ValidationError is one
        raise BadRequest(
            f'{path} is no LoCoMo file with questions ("conversation", "qa", "observation"): {error}'
        ) from error
    keys = [channel.key for channel in LoCoMo(path).channels]
    if len(keys) != len(samples):
        raise BadRequest(f"{path} holds {len(samples)} conversations, of which the importer takes {len(keys)}")
    talks = [_talk(key, sample) for key, sample in zip(keys, samples, strict=True)]
    if not any(talk.questions for talk in talks):
        raise BadRequest(f"{path} asks nothing whose evidence it names")
    return talks


def ids_of(written: str) -> tuple[str, ...]:
    """The turns that a piece of evidence names, in the form of the turns' own ids: `D8:6; D9:17` are two, `D:11:26` is
    D11:26 and `D30:05` is D30:5.
    """
    return tuple(f"D{int(session)}:{int(turn)}" for session, turn in _ID.findall(written))


def _talk(key: str, sample: _Sample) -> Talk:
    turns = {turn.id: turn for turn in _turns(sample.conversation)}
    speakers = tuple(dict.fromkeys(str(sample.conversation.get(each) or "") for each in ("speaker_a", "speaker_b")))
    asked = [Question(each.question, each.category, _known(each.evidence, turns)) for each in sample.qa]
    return Talk(
        key=key,
        speakers=tuple(filter(None, speakers)),
        turns=turns,
        questions=tuple(each for each in asked if each.evidence),
        facts=tuple(_facts(sample, turns)),
        dropped=tuple(bad for each in sample.qa for bad in _unknown(each.evidence, turns)),
        unscored=sum(not each.evidence for each in asked),
    )


def _turns(conversation: Mapping[str, Any]) -> Iterator[Turn]:
    for name, said in conversation.items():
        if SESSION.fullmatch(name) and isinstance(said, list):
            for each in msgspec.convert(said, list[_Turn]):
                yield Turn(each.dia_id, each.speaker, " ".join(filter(None, (each.text, each.blip_caption))))


def _facts(sample: _Sample, turns: Mapping[str, Turn]) -> Iterator[Fact]:
    for by_speaker in sample.observation.values():
        for speaker, facts in by_speaker.items():
            for text, sources in facts:
                written = [sources] if isinstance(sources, str) else sources
                yield Fact(speaker, text, _known(written, turns))


def _known(written: list[str], turns: Mapping[str, Turn]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(id for each in written for id in ids_of(each) if id in turns))


def _unknown(written: list[str], turns: Mapping[str, Turn]) -> Iterator[str]:
    for each in written:
        ids = ids_of(each)
        yield from (id for id in ids if id not in turns)
        if not ids:
            yield each
