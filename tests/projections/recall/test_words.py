"""By what a text is found: stems, what is written whole, emoji, languages without spaces, misspellings."""

import importlib.metadata
import re
import sys
import tomllib
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from snowballstemmer.english_stemmer import EnglishStemmer

from projections.recall import words as recall_words
from projections.recall.english import FIRST_WORDS, IRREGULAR, STOP_WORDS, TIME_WORDS
from projections.recall.numbers import terms
from projections.recall.spelling import spelled_like
from projections.recall.words import (
    LONGEST,
    STEMMER,
    TERM_BYTES,
    VERSION,
    asked,
    folded,
    name_term,
    person_term,
    stem_of,
    term,
    terms_of,
    word_term,
    words,
)
from tests.world import handle

TEXTS = st.text(st.sampled_from("ab cé_.-+#@$:'’\u0301 日本ก👍\nABst()"), max_size=12) | st.text(max_size=30)


def finds(question: str, text: str) -> set[str]:
    """By which words of a question a text is found."""
    there = terms_of(text).counts
    return {word for key, word in asked(question).items() if key in there}


def test_a_stem_is_the_same_whoever_asks_for_another_one_meanwhile() -> None:
    """Prompts are made in one thread while another one writes the index: both ask for stems."""
    told = [f"{word}{end}" for word in ("relat", "condit", "organ", "hesit") for end in ("ionally", "izations", "ing")]
    alone = {word: stem_of.__wrapped__(word) for word in told}
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            asked_at_once = threads.map(stem_of.__wrapped__, told * 200)
            assert list(asked_at_once) == [alone[word] for word in told] * 200
    finally:
        sys.setswitchinterval(before)


WORDS = st.text("aeiouybcdfghklmnprstvwxz'é", max_size=9) | st.sampled_from(["photo", "stop", "week", "sky", "'tis"])


@given(WORDS, st.sampled_from(["", "ful", "ization", "ies", "ed", "ingly", "ness", "bb", "y", "'s", "o", "k"]))
def test_a_word_that_no_suffix_ends_is_the_stem_that_the_stemmer_says(beginning: str, end: str) -> None:
    word = beginning + end
    assert stem_of.__wrapped__(word) == EnglishStemmer().stemWord(IRREGULAR.get(word, word)[:LONGEST])


def test_the_stemmer_is_not_asked_for_what_it_leaves_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    asked_for = list[str]()

    def stem(word: str) -> str:
        asked_for.append(word)
        return str(EnglishStemmer().stemWord(word))

    monkeypatch.setattr(recall_words, "EnglishStemmer", lambda: SimpleNamespace(stemWord=stem))
    stems = [stem_of.__wrapped__(word) for word in ("turbo", "week", "'tisk", "gardening", "")]
    assert (stems, asked_for) == (["turbo", "week", "tisk", "garden", ""], ["'tisk", "gardening"])


def test_the_stemmer_is_the_one_the_index_says_it_was_made_with() -> None:
    assert importlib.metadata.version("snowballstemmer") == STEMMER
    assert VERSION.endswith(f"{STEMMER}-{unicodedata.unidata_version}")


def test_no_other_stemmer_is_installed_with_it() -> None:
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"snowballstemmer=={STEMMER}" in project["dependencies"]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("running", "She runs every morning"),
        ("adopting", "They adopted a cat"),
        ("bought", "buying a boat"),
        ("went", "Let's go"),
        ("child", "the kids are asleep"),
        ("mom", "my mother called"),
        ("CAFÉ", "the cafe\u0301 on the corner"),
        ("cafe", "Café Central"),
        ("naïve", "a naive question"),
        ("strasse", "Lange Straße 5"),
        ("Lodz", "in Łódź"),
        ("ŁÓDŹ", "in Lodz"),
        ("smorrebrod", "smørrebrød"),
        ("smørrebrød", "smorrebrod"),
        ("aeble", "Æble"),
        ("Thor", "Þór"),
        ("Đakovica", "dakovica"),
        ("oeuvre", "une œuvre"),
        ("Isparta", "ısparta"),
        ("σαλατα", "μια σαλάτα"),
        ("Σαλάτα", "σαλατα"),
        ("ёлка", "елка"),
        ("kim", "Kim’s garden"),
        ("they'll", "they said"),
        ("find", "we ﬁnd it"),
        ("Кошки", "две кошки"),
        ("한국어", "한국어 교실"),
        ("한국어", "café 한국어"),
        ("고양이", "고양이를 키워요"),
        ("고양이가", "우리 고양이는 착해요"),
        ("물", "물을 주세요"),
        ("HELLO", "𝐇𝐞𝐥𝐥𝐨 there"),
    ],
)
def test_a_word_is_found_in_its_other_forms(question: str, text: str) -> None:
    assert finds(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("ERR_MODULE_NOT_FOUND", "it says err_module_not_found - why"),
        ("app.py", "see app.py."),
        ("c++", "c++ and java"),
        ("C#", "I write C#, mostly"),
        ("#garden", "#garden rocks"),
        ("@ada", "@ada hi"),
        ("$5", "it was $5"),
        ("node.js", "node.js, of course"),
        ("src/main.rs", "in src/main.rs"),
        ("12:30", "at 12:30 sharp"),
        ("d'accord", "bon, d’accord?"),
        ("--watch", "npm test -- --watch"),
        ("--dry-run", "run it with `--dry-run`, please"),
        ("-v", "(-v tells more)"),
        ("-la", "ls -la\n"),
        ("main()", "it dies in main()"),
        ("join()", "os.path.join() joins"),
        ("main()", "café: main()"),
    ],
)
def test_what_is_written_with_signs_is_found_whole(question: str, text: str) -> None:
    assert question.lower() in finds(question, text)


def test_what_is_written_whole_is_told_from_its_parts() -> None:
    assert "app.py" not in finds("app.py", "an app in py")
    assert finds("app.py", "an app in py") == {"app", "py"}
    assert "c++" not in finds("c++", "plan c")
    assert finds("--watch", "watch this") == {"watch"}
    assert finds("main()", "the main thing (that is)") == {"main"}


@pytest.mark.parametrize("text", ["well-known", "-5 degrees", ":-D", "a -> b", "one - two", "---", "1-a"])
def test_what_only_has_a_dash_is_no_option(text: str) -> None:
    assert not any(word.startswith("-") for word in asked(text).values())


def test_an_option_leaves_its_words_as_they_were() -> None:
    assert set(asked("--dry-run=yes").values()) == {"dry", "run", "yes", "dry-run", "--dry-run"}


# -- names -------------------------------------------------------------------------------------------------------------


def is_named(name: str, text: str) -> bool:
    """Whether a word stands in a text as it is, and not only by its stem."""
    key = name_term(name)
    return key is not None and key in terms_of(text).counts


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Marie", "Marie has the ladder"),
        ("marie", "I saw Marie’s ladder"),
        ("Adams", "(Adams, of course)"),
        ("Woods", "MR. WOODS"),
        ("Carrie", "for café-goers: Carrie"),
        ("Zoës", "the Zoe\u0308s are here"),
        ("Éloïses", "Éloïses Haus"),
        ("AWS", "it runs on AWS."),
        ("MARIE", "\uff2darie \u65e5"),
        ("Marie", "日本のMarieさん"),
    ],
)
def test_a_name_is_also_found_as_it_stands(name: str, text: str) -> None:
    assert is_named(name, text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Marie", "Mary brought the keys"),
        ("Marie", "marie, in lower case"),
        ("Marie", "café marie"),
        ("Adams", "Adam is here"),
        ("Maries", "McMaries, xMaries, 2Maries, Maries_x, _Maries"),
        ("Éloïses", "xÉloïses, Éloïses_x é"),
        ("won", "Won't he?"),
        ("won", "Won’t he, at the café?"),
    ],
)
def test_another_name_of_the_same_stem_is_not(name: str, text: str) -> None:
    assert not is_named(name, text)


def test_what_a_stem_says_as_well_is_kept_once() -> None:
    assert name_term("Adam") is name_term("Kim") is name_term("Bob42") is None
    assert name_term("a" * LONGEST) is name_term("A" * 500) is None


def test_small_words_are_no_names() -> None:
    assert name_term("Having") is name_term("This") is None
    assert terms_of("Having this").counts == terms_of("having this").counts


def test_a_text_is_no_longer_by_its_names() -> None:
    made = terms_of("Marie met Marie and Mary")
    assert made.length == 5
    assert (made.counts[term("x", "marie")], made.counts[term("x", "mary")], made.counts[word_term("mary")]) == (
        2,
        1,
        3,
    )


@pytest.mark.parametrize(
    ("emoji", "parts"),
    [
        ("🎉", {"🎉"}),
        ("👍🏽", {"👍🏽", "👍"}),
        ("❤️", {"❤"}),
        ("€", {"€"}),
        ("🇪🇸", {"🇪🇸"}),
        ("👩‍🍳", {"👩‍🍳", "👩", "🍳"}),
        ("🏳️‍🌈", {"🏳‍🌈", "🏳", "🌈"}),
        (
            "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
            {"🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "🏴"},
        ),
        ("\U0001fac8", {"\U0001fac8"}),
        ("\U0001f9ff🏽", {"\U0001f9ff🏽", "\U0001f9ff"}),
    ],
)
def test_emoji_and_symbols_are_found_as_they_stand(emoji: str, parts: set[str]) -> None:
    assert finds(emoji, f"party {emoji}{emoji} tonight") == parts
    assert not finds(emoji, "party tonight")


def test_what_is_made_of_emoji_is_told_from_what_has_the_same_parts() -> None:
    assert not finds("🇩🇪", "holidays in 🇪🇸")
    assert finds("👍🏽", "👍🏿 done") == {"👍"}
    assert finds("👍", "👍🏿 done") == {"👍"}
    assert finds("👩‍🚀", "she is 👩‍🍳 now") == {"👩"}
    assert finds("❤", "❤️") == finds("❤️", "❤") == {"❤"}
    assert finds("🏽", "🏽 alone") == {"🏽"}
    assert words("1️⃣ and 2") == ["1", "and", "2"]
    assert not asked("⁅ \ufe0f \u200d \U00050000")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("मुझे हिन्दी पसंद है", ["मुझे", "हिन्दी", "पसंद", "है"]),
        ("தமிழ் மொழி", ["தமிழ்", "மொழி"]),
        ("العَرَبِيَّةُ", ["العربية"]),
        ("שָׁלוֹם", ["שלום"]),
        ("বাংলা x̱ ѐ", ["বাংলা", "x", "ѐ"]),
    ],
)
def test_marks_stay_with_their_letters(text: str, read: list[str]) -> None:
    assert words(text) == [folded(each) for each in read]
    assert finds(text, f"{text}.") == {folded(each) for each in read}


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("gar\u00adden", ["garden"]),
        ("Gar\u200bdens", ["gardens"]),
        ("gar\u200d\u00ad\u200cden", ["garden"]),
        ("cafe\u0301\u2060s бо\ufeffрщ", ["cafes", "борщ"]),
        ("\u00adtea\u200b and\u00ad cake", ["tea", "and", "cake"]),
        ("می\u200cخواهم", ["می", "خواهم"]),
        ("tea\u200b茶", ["tea", "茶"]),
    ],
)
def test_what_is_not_seen_within_a_word_is_no_part_of_it(text: str, read: list[str]) -> None:
    """In scripts where such a sign may mean something, it parts as it always did."""
    assert words(text) == read


def test_a_word_with_something_unseen_is_found_as_any_other() -> None:
    assert terms_of("Our Gar\u00addens, a read\u200bme.md") == terms_of("Our Gardens, a readme.md")
    assert terms_of("👩\u200d👧 क्\u200dष") != terms_of("👩👧 क्ष")


def test_what_shares_only_vowel_signs_is_not_found() -> None:
    assert not finds("पानी", "मुझे हिन्दी पसंद है")


def test_signs_of_ascii_are_punctuation_in_every_text() -> None:
    assert terms_of("a + b = c") == terms_of("a b c")
    assert terms_of("é + b").counts == terms_of("é b").counts
    assert asked("+ = <>") == {}


@pytest.mark.parametrize(
    ("question", "text", "by"),
    [
        ("日本語", "昨日から日本語を勉強している", {"日本", "本語"}),
        ("東京", "東京都", {"東京"}),
        ("字", "字", {"字"}),
        ("สวัสดี", "คุณสวัสดีครับ", {"สว", "วั", "ัส", "สด", "ดี"}),
        ("カメラ", "新しいカメラ", {"カメ", "メラ"}),
        ("がっこう", "café がっこう", {"がっ", "っこ", "こう"}),
    ],
)
def test_languages_without_spaces_are_found_by_pairs(question: str, text: str, by: set[str]) -> None:
    assert finds(question, text) == by


@pytest.mark.parametrize(
    ("question", "text"), [("猫", "猫が好き"), ("茶", "我喜欢喝茶"), ("犬?", "café 彼は犬を飼っている")]
)
def test_one_chinese_character_is_found_where_it_stands_with_others(question: str, text: str) -> None:
    assert len(finds(question, text)) == 1


def test_single_characters_change_nothing_where_more_is_looked_for() -> None:
    assert set(asked("東京タワー").values()) == {"東京", "京タ", "タワ", "ワー"}
    assert terms_of("東京タワー").length == 4
    assert not finds("タ", "東京タワー")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("I don't, they won’t", ["i", "do", "they", "will"]),
        ("it isn't; we'll go", ["it", "is", "we", "go"]),
        ("Kim's and the cats' tea", ["kim", "and", "the", "cats", "tea"]),
        ("o'clock", ["o", "clock"]),
    ],
)
def test_what_is_only_grammar_is_no_word(text: str, read: list[str]) -> None:
    assert words(text) == read


def test_a_length_is_that_of_the_words_and_not_of_what_they_are_besides() -> None:
    assert terms_of("see app.py in v1.2").length == 6
    assert terms_of("hello there", [handle("ada")]).length == 2
    assert terms_of("").length == 0


def test_a_mention_is_found_by_the_person_and_no_name() -> None:
    made = terms_of("thanks", [handle("ada"), handle("ada")])
    assert made.counts[person_term(handle("ada"))] == 2
    assert person_term(handle("ada")) not in terms_of("thanks ada").counts


def test_terms_say_nothing_of_their_words_and_keep_their_kinds_apart() -> None:
    kinds = {term(kind, "ab") for kind in "wxsnp"}
    assert len(kinds) == 5
    assert {len(each) for each in kinds} == {TERM_BYTES}


def test_a_question_leaves_out_what_everybody_says_unless_there_is_nothing_else() -> None:
    assert set(asked("What did the cat eat?").values()) == {"cat", "eat"}
    assert set(asked("what is it?").values()) == {"what", "is", "it"}
    assert asked("?!") == {}


def test_a_run_of_letters_is_cut_where_nobody_types_on() -> None:
    assert terms_of("x" * LONGEST).counts == terms_of("x" * 500).counts
    assert terms_of("a_" + "x" * 500).counts.keys() >= terms_of("a_" + "x" * 400).counts.keys() - {word_term("x")}


def test_half_of_a_surrogate_pair_is_no_reason_to_stop() -> None:
    assert terms_of("broken \ud83d here").counts == terms_of("broken here").counts


@given(st.text(st.characters(categories=["Nd", "No"]), min_size=1, max_size=80).filter(str.isdigit))
def test_a_number_is_its_own_stem_and_not_remembered(number: str) -> None:
    word = folded(number)
    assert word_term(word) == term("w", recall_words.stem_of(word))
    assert (word in recall_words._terms) == (not word.isdigit())


def test_what_is_written_alike_has_a_term_of_its_own() -> None:
    """Numbers, dates, addresses, code, and scripts of two bytes a letter: whose bytes are alike but for a few bits."""
    days = [(day, month, year) for day in range(1, 29) for month in range(1, 13) for year in range(2000, 2030)]
    texts = {f"{day:02}.{month:02}.{year}" for day, month, year in days}
    texts |= {f"{month:02}/{day:02}/{year}" for day, month, year in days}
    texts |= {str(number) for number in range(123_000_000, 123_020_000)} | {"123456788", "223456780"}
    texts |= {f"10.0.{one}.{other}" for one in range(100) for other in range(100)} | {"10.0.0.108", "11.0.0.100"}
    texts |= {letter * times for letter in "a0mя" for times in range(1, LONGEST + 1)} | {"g.add_node", "e.add_note"}
    texts |= {
        "чайки",
        "шайка",
        "лайки",
        "майка",
        "рамки",
        "самка",
        "чашки",
        "шашка",
        "сетки",
        "тетка",
        "марка",
        "ларки",
    }
    assert len({term("w", each) for each in texts}) == len(texts)


def test_what_is_remembered_of_words_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall_words, "_terms", {})
    monkeypatch.setattr(recall_words, "_REMEMBERED", 3)
    made = [word_term(word) for word in ("one", "two", "three", "four", "one")]
    assert made[0] == made[4]
    assert len(recall_words._terms) <= 3


def likes(wrong: str) -> set[bytes]:
    return set(terms(spelled_like(wrong)))


@pytest.mark.parametrize("wrong", ["dolpin", "dolphinn", "dolphim", "dlophin", "adolphin"])
def test_one_letter_away_is_found(wrong: str) -> None:
    assert word_term("dolphin") in likes(wrong)


@pytest.mark.parametrize("wrong", ["dolphin", "dlopihn", "doin"])
def test_what_is_right_or_further_away_is_not(wrong: str) -> None:
    assert word_term("dolphin") not in likes(wrong)


def test_short_words_have_few_likes_numbers_and_whole_tokens_none() -> None:
    assert likes("tea") == {word_term("eta"), word_term("tae")}
    assert not likes("20231")
    assert not likes("app.pyx")
    assert word_term("grün") not in likes("grun")
    assert word_term("größe") in likes("grösße")


def test_the_tables_are_folded_words() -> None:
    for word in (*STOP_WORDS, *TIME_WORDS, *FIRST_WORDS, *IRREGULAR, *IRREGULAR.values()):
        assert words(word) == [word]
    assert not IRREGULAR.keys() & set(IRREGULAR.values())


@given(TEXTS)
def test_what_is_asked_in_the_words_of_a_text_finds_it(text: str) -> None:
    assert asked(text).keys() <= terms_of(text).counts.keys()


@given(TEXTS)
def test_an_ascii_text_is_no_other_with_a_letter_beyond_ascii_behind_it(text: str) -> None:
    """The quick way of ASCII and the long way lead to the same terms."""
    plain = text.encode("ascii", "ignore").decode()
    more, extra = terms_of(f"{plain} 字"), terms_of("字")
    counts = dict(more.counts)
    for key, count in extra.counts.items():
        counts[key] -= count
    assert {key: count for key, count in counts.items() if count} == terms_of(plain).counts
    assert more.length == terms_of(plain).length + extra.length


@given(TEXTS)
def test_folding_is_done_once(text: str) -> None:
    once = folded(text)
    assert folded(once) == once
    assert not re.search("[a-z][\u0300-\u036f]", once)
