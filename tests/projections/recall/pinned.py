"""What the rules of words make of some texts, and what recall finds in a small memory, as it lies in `pinned.json`.

An index that lies on a disk was made by the rules of its version, and every answer names the version by which it found
what it was made of. So a rule that gives another result has another version.

`python -m tests.projections.recall.pinned` pins everything anew after a version rose, and before that only what is not
pinned yet.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from projections.messages import MessageRow
from projections.policies.compartments import everywhere, in_guild
from projections.recall import scoring, words
from projections.recall.documents import flags_of
from projections.recall.search import FoundItem, Said, Wanted, items, said
from projections.recall.words import asked, terms_of
from tests.projections.recall.house import ADA, GUILD, KIM, House, rests_on, session

FILE = Path(__file__).with_name("pinned.json")
HOUR = 3_600_000
MOST = 5
TEXTS = (
    "We were planting sunflowers in Marie's garden yesterday, weren't we?",
    "Mary can't come. MARY! marie, and the Maries",
    "What did Ada buy in May 2023, and how many?",
    "I've gone running, ran, and won't run again; the children's bikes are broken",
    "Hey Bob, thanks: see you on the 13th of March at 12:30",
    "Running late… Ran out of milk, isn't it?!",
    "So the film is Gone with the Wind, and The Go-Between",
    "generously generalised universities, universal adoption, incredible communities",
    "Die Gärtnerinnen haben in Łódź größere Äpfel gekauft als in der Straße nebenan",
    "Übermorgen fährt Jürgen nach Köln, weil es dort schön ist",
    "Der Preis ist 3,50 € je Stück, ab 01.05.2019",
    "El niño comió una manzana; mañana cumple años en España",
    "¿Dónde está la biblioteca? ¡Aquí!",
    "L'été à l'œuvre, ça va très bien aujourd'hui",
    "smørrebrød og blåbær på Ærø, sagde Þór",
    "İstanbul'da ılık bir akşam",
    "Σαλάτα με ψωμί στην Αθήνα",
    "Наша ёлка стоит в Москве, картошка варится",
    "Її їжак живе в Києві",
    "שָׁלוֹם עולם",
    "مَرْحَبًا بالعالم؟",
    "今日は東京で寿司を食べました。",
    "カタカナとひらがな、ｶﾀｶﾅ",
    "我在北京学习中文？书",
    "สวัสดีครับ ผมชอบชา",
    "한국어 교실에 김치를 가져왔다",
    "party 🎉🎉 with 👩‍👩‍👧 and 👍🏽, ❤️ from 🇩🇪",
    "it costs ₿2 or €3 → ok ✓",
    "ERR_MODULE_NOT_FOUND in app.py: foo_bar is None",
    "git commit --amend -m fix && make -j4 test",
    "call main() in C++ or c#, v1.2.3 of node.js",
    "https://example.com/a/b?q=tea&x=1#top and mail me@example.com",
    "see docs.example.org/guide (it's http://localhost:8080)",
    "@ada #garden $5 50% C-3PO R2D2 x86_64",
    "snake_case kebab-case dotted.name path/to/file.txt 10:45 1,000,000",
    "rock'n'roll o'clock Müller’s café ’tis",
    "ﬁnd 𝐇𝐞𝐥𝐥𝐨 x² ½ Ⅷ",
    "the and of a to",
    "no one said 2023-11-14T22:13:20Z 20231114 2nd 3rd",
    "a" * 80,
    "",
    "gar\u00adden, Gar\u200bdens, бо\u2060рщ and re\u00ad\u200badme.md; a\u00ad b",
    "می\u200cخواهم, क्\u200dष and 🏳\ufe0f\u200d🌈",
    "O'Brien, McDonald, van der Berg and JRR Tolkien met Anne-Marie in New York",
)
"""None of their characters is newer than the oldest Unicode by which an index may be made."""
QUESTIONS = (
    "Mary", "marie has what?", "foo_bar", "foo and bar", "what did Ada plant in the garden?", "the", "寿司", "🎉",
    "when did Kim go to Lodz?", "what was said on the 15th of November 2023?", "snflower", "gardeningg tips", "Kim",
    "ERR_MODULE_NOT_FOUND", "how many sunflowers are there?", "who likes tea", "Straße", "quartz zeppelin",
    "what did Ada say about the seeds?", "tell me about Anna", "what does Kim know about New York?",
)  # fmt: skip


def memory() -> House:
    """A guild in which something is said and known."""
    house = House()
    house.describe("general")
    house.describe("thread", readers="general", parent="general")
    house.describe("staff", "channel")
    house.name(ADA, "Ada Larkspur")
    house.name(KIM, "Kim")
    planted = house.say("general", "I planted forty sunflowers in the garden", ADA)
    house.say("general", "How many did you plant?", KIM)
    house.say("general", "Forty! My sister Marie gave me the seeds, from Anna in New York", ADA)
    house.answer("general", "Sunflowers like sun. 🎉")
    house.say("general", "Mary has the ladder", KIM, after=7 * HOUR)
    house.say("general", "mary lent it to Tobi yesterday", KIM)
    trip = house.say("general", "I went to Łódź with my mother last week", KIM, after=20 * HOUR)
    house.say("thread", "set foo_bar to 3 in app.py, else ERR_MODULE_NOT_FOUND", ADA)
    house.say("thread", "the foo is by Anna, the bar by Bob in Berlin", KIM)
    house.say("thread", "Which tea is it?", ADA, after=7 * HOUR)
    house.say("thread", "The green one, in a big cup", KIM)
    house.say("general", "今日は寿司を食べました", KIM, after=9 * HOUR)
    house.say("general", "Die Straße ist gesperrt, gardening is off", ADA)
    house.say("staff", "Mary and Marie are on the list of Kim", ADA, after=30 * HOUR)
    for number in range(12):
        house.say("general", f"the weather of day {number} is fine, says the radio", KIM, after=5 * HOUR)
    house.know("Ada grows sunflowers in the garden", in_guild(GUILD), evidence=rests_on(planted))
    house.know("Kim went to Łódź in November", in_guild(GUILD), KIM, evidence=rests_on(trip))
    house.know("likes green tea", everywhere(ADA))
    house.know("builds foo_bar", everywhere(ADA), kind="project")
    return house


def rules() -> str:
    """The version of the rules of words, whatever Unicode this Python has."""
    return words.VERSION.rpartition("-")[0]


def pinned_now() -> dict[str, dict[str, Any]]:
    """Everything that is pinned, as it is now."""
    house = memory()
    return {
        "words": {"version": rules(), **{text: _terms(text) for text in TEXTS}},
        "recall": {"version": f"{scoring.VERSION} {rules()}", **{text: _found(house, text) for text in QUESTIONS}},
    }


def kept() -> dict[str, dict[str, Any]]:
    """What the file says."""
    read: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return read


def differing(was: Mapping[str, Mapping[str, Any]], now: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What has another result under the same version, each as a sentence that says what to do."""
    return [
        f"{text!r} has another result under {now[part]['version']}. If that is meant, raise `VERSION` in {where}, and "
        "then run python -m tests.projections.recall.pinned"
        for part, where in (("words", "projections/recall/words.py"), ("recall", "projections/recall/scoring.py"))
        if was[part]["version"] == now[part]["version"]
        for text, result in was[part].items()
        if text in now[part] and result != now[part][text]
    ]


def as_text(pinned: Mapping[str, Mapping[str, Any]]) -> str:
    """The file's text: a line for each text."""
    parts = (f"{json.dumps(name)}: {{\n{_lines(each)}\n}}" for name, each in pinned.items())
    return "{\n" + ",\n".join(parts) + "\n}\n"


def hits() -> str:
    """Everything that is found, with its score and its reasons."""
    house = memory()
    lines = [f"{each.id.hex()} {each.score} {each.reasons}" for text in QUESTIONS for each in _said(house, text)]
    lines += [f"{each.item.id} {each.score} {each.reasons}" for text in QUESTIONS for each in _items(house, text)]
    return "\n".join(lines)


def _lines(results: Mapping[str, Any]) -> str:
    return ",\n".join(f" {json.dumps(text, ensure_ascii=False)}: {_json(each)}" for text, each in results.items())


def _json(result: Any) -> str:
    return json.dumps(result, ensure_ascii=False)


def _terms(text: str) -> dict[str, Any]:
    counts, length = terms_of(text)
    stand = " ".join(f"{term.hex()}×{count}" for term, count in sorted(counts.items()))
    looked_for = " ".join(sorted(term.hex() for term in asked(text)))
    return {"length": length, "flags": flags_of(text), "terms": stand, "asked": looked_for}


def _found(house: House, text: str) -> dict[str, Any]:
    said = [[each.score, _text(each)] for each in _said(house, text)]
    return {"said": said, "items": [[each.score, each.item.text] for each in _items(house, text)]}


def _text(hit: Said) -> str:
    return hit.row.message.text if isinstance(hit.row, MessageRow) else hit.row.text


def _said(house: House, text: str) -> tuple[Said, ...]:
    return said(house.rows, _wanted(house, text), MOST)


def _items(house: House, text: str) -> tuple[FoundItem, ...]:
    """Of what is the asker's and nobody's: whom else it is told of, is no matter of scores."""
    return items(house.rows, _wanted(house, text)._replace(room=()), MOST)


def _wanted(house: House, text: str) -> Wanted:
    return Wanted(text, house.setting("staff"), session("staff"), house.said + 1, room=(KIM,))


def main() -> None:
    """Pin everything anew, unless something has another result under the same version."""
    now = pinned_now()
    if FILE.exists() and (differ := differing(kept(), now)):
        sys.exit("\n".join(differ))
    FILE.write_text(as_text(now), encoding="utf-8")


if __name__ == "__main__":
    main()
