"""What a secret looks like, whatever the language: keys, tokens and card numbers by their shape.

A table, one line for each kind. A shape is looked for only where one of its `hints` stands in the text in lower case,
which most messages lack: so the table costs next to nothing. The group `secret` is what is taken out, where there is
one; else all of the match. Shapes are those that the services publish, or that scanners for repositories use.

A 64-digit hexadecimal number is a private key of Nostr, and a transaction, and a SHA-256: nobody can tell. It stays in
the message, which is flagged, and is no memory.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from projections.languages import LANGUAGES

API_KEY = "api key"
TOKEN = "token"
PRIVATE_KEY = "private key"
PASSWORD = "password"
CARD = "card number"
ACCOUNT = "account number"
SOCIAL_SECURITY = "social security number"
MARK = "[redacted:"
"""How that begins which stands in the place of a secret."""

_START = r"(?<![A-Za-z0-9_-])"
_END = r"(?![A-Za-z0-9_-])"
_MIXED = r"(?=[A-Za-z0-9_-]*[0-9])(?=[A-Za-z0-9_-]*[A-Za-z])"


class Stretch(NamedTuple):
    """Where a secret stands, by code points, and what it is."""

    start: int
    end: int
    name: str


class Shape(NamedTuple):
    """A kind of secret: what it is called, what a text with one holds, and how it looks."""

    name: str
    hints: tuple[str, ...]
    pattern: str


SHAPES: tuple[Shape, ...] = (
    Shape(
        PRIVATE_KEY,
        ("private key",),
        r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
        r"(?s:.*?)(?:-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    ),
    Shape(PRIVATE_KEY, ("nsec1",), rf"{_START}(?i:n(?:crypt)?sec1[02-9ac-hj-np-z]{{50,}})"),
    Shape(PRIVATE_KEY, ("ncryptsec1",), rf"{_START}(?i:ncryptsec1[02-9ac-hj-np-z]{{50,}})"),
    Shape(PRIVATE_KEY, ("age-secret-key-1",), r"(?i:AGE-SECRET-KEY-1[0-9A-Z]{50,})"),
    Shape(API_KEY, ("sk-",), rf"{_START}sk-{_MIXED}[A-Za-z0-9_-]{{20,}}"),
    Shape(PRIVATE_KEY, ("prv",), rf"{_START}[xyztuvYZUV]prv[1-9A-HJ-NP-Za-km-z]{{100,}}"),
    Shape(
        PRIVATE_KEY,
        ("5", "k", "l"),
        rf"{_START}(?=[A-Za-z]*\d)(?:5[1-9A-HJ-NP-Za-km-z]{{50}}|[KL][1-9A-HJ-NP-Za-km-z]{{51}}){_END}",
    ),
    Shape(API_KEY, ("sk_", "rk_", "pk_"), rf"{_START}(?:sk|rk|pk)_(?:live|test)_[0-9A-Za-z]{{16,}}"),
    Shape(API_KEY, ("akia", "asia", "abia", "acca"), rf"{_START}(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{{16}}{_END}"),
    Shape(API_KEY, ("sk-",), rf"{_START}sk-(?:ant|proj|svcacct|admin)-[A-Za-z0-9_-]{{24,}}"),
    Shape(
        API_KEY,  # the secret half of an AWS key: 40 signs, and nothing before them
        tuple("0123456789"),
        r"(?<![\w/+=.-])(?=[A-Za-z/+]*\d)(?=(?:[a-z\d/+]*[A-Z]){8})(?=(?:[A-Z\d/+]*[a-z]){8})[A-Za-z\d/+]{40}"
        r"(?![\w/+=-]|\.\w)",
    ),
    Shape(
        SOCIAL_SECURITY,
        ("ssn", "social security"),
        r"(?i:\b(?:ssn|social security(?: (?:number|no|nr|#))?)\b)\D{0,20}(?P<secret>\d{3}[ -]?\d{2}[ -]?\d{4})(?!\d)",
    ),
    Shape(API_KEY, ("aiza",), rf"{_START}AIza[0-9A-Za-z_-]{{35,}}"),
    Shape(API_KEY, ("gsk_",), rf"{_START}gsk_[A-Za-z0-9]{{40,}}"),
    Shape(API_KEY, ("xai-",), rf"{_START}xai-[A-Za-z0-9]{{60,}}"),
    Shape(API_KEY, ("pa-",), rf"{_START}pa-{_MIXED}[A-Za-z0-9_-]{{40,}}"),
    Shape(API_KEY, ("sg.",), rf"{_START}SG\.[\w-]{{16,}}\.[\w-]{{16,}}"),
    Shape(API_KEY, ("sk",), rf"{_START}SK[0-9a-f]{{32}}{_END}"),
    Shape(API_KEY, ("key-",), rf"{_START}key-[0-9a-f]{{32}}{_END}"),
    Shape(TOKEN, ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), rf"{_START}gh[pousr]_[A-Za-z0-9]{{30,}}"),
    Shape(TOKEN, ("github_pat_",), rf"{_START}github_pat_[A-Za-z0-9_]{{40,}}"),
    Shape(TOKEN, ("glpat-", "gldt-", "glrt-"), rf"{_START}gl(?:pat|dt|rt)-[A-Za-z0-9_-]{{20,}}"),
    Shape(TOKEN, ("xox", "xapp-"), rf"{_START}(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{{10,}}"),
    Shape(TOKEN, ("hooks.slack.com/",), r"hooks\.slack\.com/services/(?P<secret>[A-Z0-9]+/[A-Z0-9]+/\w{16,})"),
    Shape(TOKEN, ("/webhooks/",), r"discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{15,21}/(?P<secret>[\w-]{30,})"),
    Shape(TOKEN, (".",), rf"{_START}[MNO][A-Za-z0-9_-]{{23,27}}\.[\w-]{{6,7}}\.[\w-]{{27,45}}"),
    Shape(TOKEN, ("mfa.",), rf"{_START}mfa\.[\w-]{{60,}}"),
    Shape(TOKEN, ("eyj",), rf"{_START}eyJ[\w-]{{8,}}\.eyJ[\w-]{{8,}}\.[\w-]{{8,}}"),
    Shape(TOKEN, ("ya29.",), rf"{_START}ya29\.[\w-]{{20,}}"),
    Shape(TOKEN, ("gocspx-",), rf"{_START}GOCSPX-[\w-]{{20,}}"),
    Shape(TOKEN, ("npm_",), rf"{_START}npm_[A-Za-z0-9]{{36}}"),
    Shape(TOKEN, ("pypi-",), rf"{_START}pypi-AgE[\w-]{{40,}}"),
    Shape(TOKEN, ("hf_",), rf"{_START}hf_[A-Za-z0-9]{{30,}}"),
    Shape(TOKEN, (":aa",), r"(?<!\d)\d{8,10}:AA[\w-]{32,34}"),
    Shape(TOKEN, ("do",), rf"{_START}do[opr]_v1_[a-f0-9]{{64}}"),
    Shape(TOKEN, ("shp",), rf"{_START}shp(?:at|ca|pa|ss)_[a-fA-F0-9]{{32}}"),
    Shape(TOKEN, ("tskey-",), rf"{_START}tskey-[a-z]+-[A-Za-z0-9_-]{{16,}}"),
    Shape(TOKEN, ("glsa_", "glc_"), rf"{_START}gl(?:sa|c)_[A-Za-z0-9_=]{{32,}}"),
    Shape(TOKEN, ("sq0",), rf"{_START}sq0[a-z]{{3}}-[\w-]{{22,}}"),
    Shape(TOKEN, ("dckr_pat_",), rf"{_START}dckr_pat_[\w-]{{20,}}"),
    Shape(TOKEN, ("lin_api_",), rf"{_START}lin_api_[A-Za-z0-9]{{30,}}"),
    Shape(TOKEN, ("ntn_",), rf"{_START}ntn_[A-Za-z0-9]{{40,}}"),
    Shape(TOKEN, ("figd_",), rf"{_START}figd_[\w-]{{30,}}"),
    Shape(TOKEN, ("sbp_",), rf"{_START}sbp_[a-f0-9]{{40}}"),
    Shape(TOKEN, ("hvs.",), rf"{_START}hvs\.[\w-]{{24,}}"),
    Shape(TOKEN, ("dapi",), rf"{_START}dapi[a-f0-9]{{32}}"),
    Shape(TOKEN, ("rubygems_",), rf"{_START}rubygems_[a-f0-9]{{40,}}"),
    Shape(TOKEN, ("atatt3",), rf"{_START}ATATT3[\w=-]{{40,}}"),
    Shape(TOKEN, ("sntrys_",), rf"{_START}sntrys_[\w+/=-]{{40,}}"),
    Shape(API_KEY, ("r8_",), rf"{_START}r8_[A-Za-z0-9]{{36,}}"),
    Shape(API_KEY, ("nvapi-",), rf"{_START}nvapi-[\w-]{{40,}}"),
    Shape(API_KEY, ("pplx-",), rf"{_START}pplx-[A-Za-z0-9]{{40,}}"),
    Shape(API_KEY, ("pmak-",), rf"{_START}PMAK-[a-f0-9-]{{40,}}"),
    Shape(API_KEY, ("nrak-",), rf"{_START}NRAK-[A-Z0-9]{{26,}}"),
    Shape(API_KEY, ("xkeysib-",), rf"{_START}xkeysib-[a-f0-9-]{{40,}}"),
    Shape(TOKEN, ("whsec_",), rf"{_START}whsec_[A-Za-z0-9+/=]{{20,}}"),
    Shape(TOKEN, ("bearer ",), rf"(?i:\bbearer) (?P<secret>{_MIXED}[A-Za-z0-9._~+/-]{{20,}}=*)"),
    Shape(TOKEN, ("accountkey=",), r"(?i:AccountKey)=(?P<secret>[A-Za-z0-9+/]{40,}=*)"),
    Shape(
        TOKEN,
        ("authorization",),
        r"(?i:authorization)[\"']?\s*[:=]\s*[\"']?(?i:basic|digest|token|apikey|bearer)\s+(?P<secret>[^\s\"',;]{6,})",
    ),
    Shape(PASSWORD, ("://",), r"(?i:\b[a-z][a-z0-9+.-]{1,20})://[^\s:/@]{0,64}:(?P<secret>[^\s/]{3,})@(?=[\w.[-])"),
    Shape(
        PASSWORD,
        ("curl",),
        r"(?i:\bcurl)\b[^\n]{0,300}?\s(?:-u|--user|--proxy-user)[ =]?[\"']?[^\s:\"']+:(?P<secret>[^\s\"']{3,})",
    ),
    Shape(
        PASSWORD,
        ("mysql", "mariadb"),
        r"(?i:\bmysql|\bmariadb)[\w-]{0,20}\b[^\n]{0,300}?\s-p[\"']?(?P<secret>[^\s\"'-][^\s\"']{2,})",
    ),
    Shape(
        PASSWORD,
        ("</",),
        r"(?i:<(?P<tag>\w*(?:password|passwd|pwd|secret|token|apikey))>)\s*(?P<secret>[^<\s]{3,})\s*</(?P=tag)>",
    ),
    Shape(PASSWORD, ("sshpass",), r"\bsshpass\s+-p\s*[\"']?(?P<secret>[^\s\"']{3,})"),
    Shape(
        API_KEY,
        ("key ", "token ", "secret "),
        r"(?<!public )(?i:\b(?:key|token|secret)) (?P<secret>(?!0x)(?=\S*[a-z])(?=\S*[A-Z])(?=\S*\d)"
        r"[A-Za-z0-9_+/=-]{24,})",
    ),
    Shape(
        API_KEY,
        ("key", "token", "secret"),
        r"(?i:\b(?:\w+[_-])?(?:api[ _-]?key|(?:access|auth|client|secret|private|signing|encryption)"
        r"[ _-]?(?:key|token|secret)|secret[ _-]?access[ _-]?key|token|secret)(?:[_-]\w+)?)[\"']?\s*(?:[:=]|:=|=>)\s*"
        r"[\"'`]?(?P<secret>(?=[^\s\"'`]*\d)(?=[^\s\"'`]*[A-Za-z])[^\s\"'`,;&<]{12,})",
    ),
)
_COMPILED = tuple((shape, re.compile(shape.pattern)) for shape in SHAPES)
_HINTS = tuple((hint, number) for number, shape in enumerate(SHAPES) for hint in shape.hints)
"""All hints in a row: every text is asked for every one of them."""

_DIGITS = re.compile(
    r"(?:(?P<hash>#)|(?<![\w.,/#-]))(?P<digits>\d{12,19}|\d{4}(?:[ .-]{0,3}\d{4}){2,3}(?:[ .-]{1,3}\d{1,4})?"
    r"|\d{4}[ .-]{1,3}\d{6}[ .-]{1,3}\d{4,5}|\d(?:[ -]\d){13,15})(?![\w-])"
)
_CARDS = "|".join(("visa", "master", "amex", *(each for language in LANGUAGES for each in language.cards)))
_CARD_WORD = re.compile(rf"(?i:{_CARDS})\D{{0,30}}\Z")
LONGEST_ADDRESS = 300
_LENGTHS = {"34": 15, "37": 15, "30": 14, "36": 14, "38": 14}
_MASTERCARD = range(2221, 2721)
_NUMBER = re.compile(r"\d\D{0,3}\d")
"""What every number of a card or an account has in it, and most texts have not."""
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]){11,30}(?![A-Za-z0-9])")
_IBANS = {
    15: "NO",
    16: "BE",
    18: "DK FI NL",
    19: "SI",
    20: "AT EE KZ LT",
    21: "CH HR LI LV",
    22: "BG DE GB IE RS",
    23: "AE IL",
    24: "AD CZ ES PK RO SA SE SK",
    25: "PT",
    26: "IS TR",
    27: "FR GR IT MC SM",
    28: "CY HU PL",
    29: "BR UA",
    31: "MT",
}
_IBAN_LENGTHS = {country: length for length, countries in _IBANS.items() for country in countries.split()}
"""How long an account's number is in its country (ISO 13616)."""
_HEX_64 = re.compile(r"(?<![0-9A-Za-z])(?:0x)?[0-9A-Fa-f]{64}(?![0-9A-Za-z])")


def shaped(text: str) -> Iterator[Stretch]:
    """Everything in a text that looks like a secret; stretches may lie over each other."""
    lower = text.lower()
    for number in sorted({number for hint, number in _HINTS if hint in lower}):
        shape, pattern = _COMPILED[number]
        for found in pattern.finditer(text):
            start, end = found.span("secret" if "secret" in pattern.groupindex else 0)
            if not text.startswith(MARK, start):
                yield Stretch(start, end, shape.name)
    if _NUMBER.search(text) is not None:
        yield from _cards(text)
        yield from _accounts(text)


def hinted(lower: str, hints: tuple[str, ...]) -> bool:
    """Whether one of these hints stands in a text in lower case."""
    for each in hints:  # noqa: SIM110 - a generator takes longer than to look, and every shape is asked about every text
        if each in lower:
            return True
    return False


def _cards(text: str) -> Iterator[Stretch]:
    for found in _DIGITS.finditer(text):
        start, end = found.span("digits")
        is_number = found["hash"] is not None and not _CARD_WORD.search(text, max(0, start - 40), start)
        if is_card(text[start:end]) and not is_number and not _is_in_address(text, start):
            yield Stretch(start, end, CARD)


def _is_in_address(text: str, start: int) -> bool:
    """Whether something stands in a URL: there, digits number things."""
    return "://" in text[max(0, start - LONGEST_ADDRESS) : start].rpartition(" ")[2]


def _accounts(text: str) -> Iterator[Stretch]:
    for found in _IBAN.finditer(text):
        at = [place for place in range(*found.span()) if text[place] != " "]
        length = _IBAN_LENGTHS.get(found[0][:2].upper(), 0)
        if 0 < length <= len(at) and is_account("".join(text[place] for place in at[:length])):
            yield Stretch(at[0], at[length - 1] + 1, ACCOUNT)


def is_account(number: str) -> bool:
    """Whether 97 divides an IBAN, its first four signs behind it, with one less (ISO 7064)."""
    return int("".join(str(int(each, 36)) for each in number[4:] + number[:4])) % 97 == 1


def is_card(number: str) -> bool:
    """Whether digits (with spaces or dashes between) are a card's: its issuer's prefix and length, and its last digit
    by ISO/IEC 7812 (Luhn).
    """
    digits = "".join(each for each in number if each.isdecimal())
    return len(digits) == _length_of(digits) and _luhn(digits)


def _length_of(digits: str) -> int:
    """How many digits a card with this beginning has; 0 where no card begins so."""
    if digits[0] in "456" and digits[:2] not in ("50", "56", "57", "58", "59"):
        return 16
    return _LENGTHS.get(digits[:2], 16 if int(digits[:4]) in _MASTERCARD or digits[:2] == "35" else 0)


def _luhn(digits: str) -> bool:
    doubled = (int(each) * (1 + place % 2) for place, each in enumerate(reversed(digits)))
    return sum(each - 9 if each > 9 else each for each in doubled) % 10 == 0


def unknown_hex(text: str) -> bool:
    """Whether there is a 64-digit hexadecimal number in it, which may be a private key."""
    return _HEX_64.search(text) is not None
