"""Signed notes, against the examples of the specification and of Go's implementation."""

from base64 import b64decode, b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.errors import ForgedCheckpoint, NotACheckpoint, UnknownSigner
from replay.notes import MOST_BYTES, Note, Signer, Verifier

SPEC_KEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
SPEC_NOTE = (
    "This is an example message.\n\n"
    "— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
)
"""From c2sp.org/signed-note."""
GO_VERIFIER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_SIGNER = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
GO_TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
GO_LINE = (
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
"""From golang.org/x/mod/sumdb/note/example_test.go."""


def opened(note: str, verifier: Verifier) -> str:
    """The text, once it is seen who signed it."""
    parsed = Note.parse(note.encode())
    parsed.check(verifier)
    return parsed.text


def test_the_example_of_the_specification() -> None:
    assert opened(SPEC_NOTE, Verifier.parse(SPEC_KEY)) == "This is an example message.\n"


def test_the_example_of_go_s_implementation_byte_for_byte() -> None:
    signer = Signer.parse(GO_SIGNER)
    assert signer.sign(GO_TEXT) == f"{GO_TEXT}\n{GO_LINE}"
    assert signer.encoded() == GO_SIGNER
    assert signer.verifier() == Verifier.parse(GO_VERIFIER)
    assert signer.verifier().encoded() == GO_VERIFIER
    assert opened(f"{GO_TEXT}\n{GO_LINE}", Verifier.parse(GO_VERIFIER)) == GO_TEXT


@given(st.text(st.characters(min_codepoint=32, exclude_categories=["Cs"]), min_size=1).map(lambda text: f"{text}\n"))
def test_whatever_is_signed_is_opened(text: str) -> None:
    signer = Signer.fresh("dnam/test")
    assert opened(signer.sign(text), signer.verifier()) == text
    assert Signer.parse(signer.encoded()) == signer


def test_a_text_may_have_empty_lines() -> None:
    signer = Signer.fresh("dnam/test")
    assert opened(signer.sign("one\n\ntwo\n\n"), signer.verifier()) == "one\n\ntwo\n\n"


def test_others_may_have_signed_too() -> None:
    mine, theirs = Signer.fresh("dnam/mine"), Signer.fresh("dnam/theirs")
    again = Signer.fresh("dnam/mine")
    lines = [each.sign("text\n").rpartition("\n\n")[2] for each in (theirs, again, mine)]
    assert opened("text\n\n" + "".join(lines), mine.verifier()) == "text\n"


def test_a_signature_of_another_is_no_signature() -> None:
    mine, theirs = Signer.fresh("dnam/mine"), Signer.fresh("dnam/theirs")
    with pytest.raises(UnknownSigner, match=r"signed by dnam/theirs with key [0-9a-f]{8}, and not by dnam/mine"):
        opened(theirs.sign("text\n"), mine.verifier())
    with pytest.raises(UnknownSigner):
        opened(Signer.fresh("dnam/mine").sign("text\n"), mine.verifier())


@given(st.integers(0, 10_000))
def test_a_changed_signature_or_text_is_forged(bit: int) -> None:
    verifier = Verifier.parse(GO_VERIFIER)
    signature = bytearray(b64decode(GO_LINE.split(" ")[2]))
    signature[4 + bit // 8 % 64] ^= 1 << bit % 8
    with pytest.raises(ForgedCheckpoint, match=r"PeterNeumann .* did not sign this text"):
        opened(f"{GO_TEXT}\n— PeterNeumann {b64encode(signature).decode()}\n", verifier)
    at = bit % (len(GO_TEXT) - 1)
    with pytest.raises((ForgedCheckpoint, NotACheckpoint)):
        opened(f"{GO_TEXT[:at]}{'x' if GO_TEXT[at] != 'x' else 'y'}{GO_TEXT[at + 1 :]}\n{GO_LINE}", verifier)


def test_one_bad_signature_of_a_known_key_is_enough() -> None:
    signer = Signer.fresh("dnam/test")
    good, bad = signer.sign("text\n"), signer.sign("other\n")
    with pytest.raises(ForgedCheckpoint):
        opened(good + bad.rpartition("\n\n")[2], signer.verifier())


def test_a_signature_of_another_length_is_forged() -> None:
    verifier = Verifier.parse(GO_VERIFIER)
    with pytest.raises(ForgedCheckpoint):
        opened(f"{GO_TEXT}\n— PeterNeumann {b64encode(verifier.key_id + b'x').decode()}\n", verifier)


@pytest.mark.parametrize(
    ("note", "why"),
    [
        ("", "an empty line stands"),
        ("text\n", "an empty line stands"),
        (f"\n\n{GO_LINE}", "an empty line stands"),
        (f"text\n{GO_LINE}", "an empty line stands"),
        ("text\n\n", "nobody signed it"),
        (f"text\n\n{GO_LINE[:-1]}", "cut short"),
        (f"text\n\n{GO_LINE}more", "cut short"),
        (f"text\r\n\r\n{GO_LINE}", "control characters"),
        (f"a\ttab\n\n{GO_LINE}", "control characters"),
        (f"text\n\n- {GO_LINE[2:]}", "no signature"),
        (f"text\n\n{GO_LINE.replace('PeterNeumann', 'Peter+Neumann')}", "no signature"),
        ("text\n\n" + GO_LINE.replace("PeterNeumann", "Peter\u00a0Neumann"), "no signature"),
        (f"text\n\n{GO_LINE.replace('PeterNeumann ', ' ')}", "no signature"),
        ("text\n\n— PeterNeumann\n", "no signature"),
        ("text\n\n— PeterNeumann AAAA\n", "no signature"),
        ("text\n\n— PeterNeumann äöü=\n", "no signature"),
        (f"text\n\n{GO_LINE.replace('AM=', 'AN=')}", "no signature"),
        (f"text\n\n{GO_LINE * 101}", "101 signatures"),
        ("x" * MOST_BYTES + f"\n\n{GO_LINE}", "longer than 1024 KiB"),
    ],
)
def test_what_is_no_note(note: str, why: str) -> None:
    with pytest.raises(NotACheckpoint, match=why):
        Note.parse(note.encode())


def test_what_is_no_text() -> None:
    with pytest.raises(NotACheckpoint, match="not UTF-8"):
        Note.parse(b"\xff\xfe" + GO_LINE.encode())


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("", "has the form"),
        ("PeterNeumann", "has the form"),
        ("PeterNeumann+c74f20a3", "has the form"),
        (GO_VERIFIER.replace("c74f20a3", "c74f20a4"), "belong together"),
        (GO_VERIFIER.replace("c74f20a3", "C74F20A3"), "belong together"),
        (GO_VERIFIER.replace("Peter", "Petra"), "belong together"),
        (GO_VERIFIER.replace("Peter", "Peter "), "no Ed25519 key"),
        (GO_VERIFIER.replace("PeterNeumann", ""), "no Ed25519 key"),
        (GO_VERIFIER.replace("+ARp", "+ARq"), "belong together"),
        (GO_VERIFIER.replace("+AR", "+BR"), "no Ed25519 key"),
        (GO_VERIFIER[:-4], "no Ed25519 key"),
        (GO_VERIFIER[:-1], "padding"),
        ("name+c74f20a3+AR==", "how base64 is written"),
    ],
)
def test_what_is_no_verifier_key(key: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Verifier.parse(key)


def test_what_is_no_signing_key() -> None:
    with pytest.raises(ValueError, match="does not begin"):
        Signer.parse(GO_VERIFIER)
    with pytest.raises(ValueError, match="belong together"):
        Signer.parse(GO_SIGNER.replace("c74f20a3", "c74f20a4"))
