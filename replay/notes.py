"""Signed notes, as in c2sp.org/signed-note: a text, an empty line, and a line for each who signed it.

    any lines of text
                                                                        empty
    — name base64(key id ‖ Ed25519 signature of the text)               4 + 64 bytes

    key id          the first 4 bytes of SHA-256(name ‖ 0x0A ‖ 0x01 ‖ public key)
    verifier key    name+hex(key id)+base64(0x01 ‖ public key)
    signing key     PRIVATE+KEY+name+hex(key id)+base64(0x01 ‖ seed)

Keys are written as Go's golang.org/x/mod/sumdb/note does, so that other programs can check ours. The text counts for
nothing until somebody whose key is known is seen to have signed it.
"""

from base64 import b64decode, b64encode
from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from replay.errors import ForgedCheckpoint, NotACheckpoint, UnknownSigner

MOST_BYTES = 1 << 20
"""A longer note is none."""
MOST_SIGNATURES = 100
"""As in Go's implementation; the specification asks for 16 at least."""
_ED25519 = b"\x01"
_DASH = "— "
_PRIVATE = "PRIVATE+KEY+"
_KEY_BYTES = 32
_ID_BYTES = 4


class Verifier(NamedTuple):
    """Who may have signed: a name and a public key."""

    name: str
    public: bytes

    @property
    def key_id(self) -> bytes:
        """4 bytes that tell the keys of one name apart; they prove nothing."""
        return sha256(self.name.encode() + b"\n" + _ED25519 + self.public).digest()[:_ID_BYTES]

    def encoded(self) -> str:
        """The verifier key, to be handed on."""
        return f"{self.name}+{self.key_id.hex()}+{b64encode(_ED25519 + self.public).decode()}"

    @classmethod
    def parse(cls, text: str) -> "Verifier":
        """A verifier key that was handed on. ValueError when it is none."""
        name, key_id, public = _parts(text)
        verifier = cls(name, public)
        if verifier.key_id.hex() != key_id:
            raise ValueError("its parts do not belong together: a character was lost or changed")
        return verifier


class Signer(NamedTuple):
    """Who signs: a name and the seed of a private key."""

    name: str
    seed: bytes

    @classmethod
    def fresh(cls, name: str) -> "Signer":
        """A new key."""
        return cls(name, Ed25519PrivateKey.generate().private_bytes_raw())

    def verifier(self) -> Verifier:
        """What others need to check its signatures."""
        return Verifier(self.name, self._key().public_key().public_bytes_raw())

    def _key(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.seed)

    def encoded(self) -> str:
        """The signing key, to be kept."""
        return f"{_PRIVATE}{self.name}+{self.verifier().key_id.hex()}+{b64encode(_ED25519 + self.seed).decode()}"

    @classmethod
    def parse(cls, text: str) -> "Signer":
        """A signing key that was kept. ValueError when it is none."""
        if not text.startswith(_PRIVATE):
            raise ValueError("it does not begin as a signing key does")
        name, key_id, seed = _parts(text.removeprefix(_PRIVATE))
        signer = cls(name, seed)
        if signer.verifier().key_id.hex() != key_id:
            raise ValueError("its parts do not belong together: it was changed")
        return signer

    def sign(self, text: str) -> str:
        """The text as a note that this one signed. The text must end with a newline."""
        signature = self.verifier().key_id + self._key().sign(text.encode())
        return f"{text}\n{_DASH}{self.name} {b64encode(signature).decode()}\n"


def _parts(text: str) -> tuple[str, str, bytes]:
    """The name, the key id in hex, and the key of `name+id+base64`: base64 has a plus of its own, a name has none."""
    name, plus, rest = text.partition("+")
    key_id, second, encoded = rest.partition("+")
    if not (plus and second):
        raise ValueError("it has the form name+id+key")
    key = _decoded(encoded)
    if not _is_name(name) or key[:1] != _ED25519 or len(key) != 1 + _KEY_BYTES:
        raise ValueError("it is no Ed25519 key under a name")
    return name, key_id, key[1:]


def _is_name(name: str) -> bool:
    return bool(name) and "+" not in name and not any(map(str.isspace, name))


def _decoded(encoded: str) -> bytes:
    """Base64 in its one right form. ValueError for any other."""
    data = b64decode(encoded, validate=True)
    if b64encode(data).decode() != encoded:
        raise ValueError("this is not how base64 is written")
    return data


class Signature(NamedTuple):
    """A line below a note, not checked yet."""

    name: str
    key_id: bytes
    signature: bytes


class Note(NamedTuple):
    """A text and who is said to have signed it."""

    text: str
    signatures: tuple[Signature, ...]

    @classmethod
    def parse(cls, data: bytes) -> "Note":
        """A note as it was kept. NotACheckpoint when it is none."""
        text, break_, block = _readable(data).rpartition("\n\n")
        if not break_ or not text:
            raise NotACheckpoint("this is no signed note: an empty line stands between its text and who signed it")
        signatures = tuple(_signatures(block))
        if len(signatures) > MOST_SIGNATURES:
            raise NotACheckpoint(f"this note has {len(signatures)} signatures, which is more than anybody needs")
        return cls(f"{text}\n", signatures)

    def check(self, verifier: Verifier) -> None:
        """That this one signed it. Signatures of others are passed over.

        UnknownSigner when no line is theirs; ForgedCheckpoint when a line says so, and they did not sign this text.
        """
        theirs = [each for each in self.signatures if (each.name, each.key_id) == (verifier.name, verifier.key_id)]
        if not theirs:
            signed = ", ".join(f"{each.name} with key {each.key_id.hex()}" for each in self.signatures)
            raise UnknownSigner(f"signed by {signed}, and not by {verifier.name} with key {verifier.key_id.hex()}")
        for each in theirs:
            try:
                Ed25519PublicKey.from_public_bytes(verifier.public).verify(each.signature, self.text.encode())
            except (InvalidSignature, ValueError) as error:
                raise ForgedCheckpoint(
                    f"forged or damaged: {verifier.name} (key {verifier.key_id.hex()}) did not sign this text"
                ) from error


def _readable(data: bytes) -> str:
    if len(data) > MOST_BYTES:
        raise NotACheckpoint(f"this is no signed note: it is longer than {MOST_BYTES >> 10} KiB")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise NotACheckpoint("this is no signed note: it is not UTF-8") from error
    if any(each < " " and each != "\n" for each in text):
        raise NotACheckpoint(
            "this is no signed note: it has control characters in it, perhaps the line ends of another system"
        )
    return text


def _signatures(block: str) -> Iterator[Signature]:
    *lines, rest = block.split("\n")
    if rest or not lines:
        raise NotACheckpoint("this is no signed note: it is cut short, or nobody signed it")
    for line in lines:
        name, _, encoded = line.removeprefix(_DASH).partition(" ")
        try:
            data = _decoded(encoded)
        except ValueError as error:
            raise NotACheckpoint(f"this line is no signature: {line}") from error
        if not line.startswith(_DASH) or not _is_name(name) or len(data) <= _ID_BYTES:
            raise NotACheckpoint(f"this line is no signature: {line}")
        yield Signature(name, data[:_ID_BYTES], data[_ID_BYTES:])
