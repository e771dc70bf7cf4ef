"""Checks proofs that an event is in a log: what `dnam prove` writes. Needs Python alone, and nothing of the project.

    python3 check_inclusion.py PROOF.json [...]        exit status 0 when every proof holds, else 1

Written from RFC 9162 §2.1.3.2 and c2sp.org/tlog-checkpoint. A proof is one JSON object with exactly these fields:

    origin       which log                      size         how many events it has
    seq          which event, from 1            root         the root over their headers, in hex
    header       its header, in hex             path         the hashes beside its way up to the root, in hex
    checkpoint   the signed note: origin, size and root again, a line each, an empty line, signature lines

NOT CHECKED: the Ed25519 signature below the checkpoint, for which the standard library has nothing. Whoever was handed
the checkpoint by the log's owner compares it; who was not checks its signature with the log's verifier key.
"""

import hashlib
import json
import sys
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

FIELDS = {"origin": str, "seq": int, "size": int, "header": str, "path": list, "root": str, "checkpoint": str}


class Refused(Exception): ...


def must(holds: object, why: str) -> None:
    if not holds:
        raise Refused(why)


def from_hex(text: str, what: str) -> bytes:
    data = bytes.fromhex(text)
    must(data.hex() == text, f"{what} is not written as hex is")
    return data


def check_checkpoint(proof: dict[str, Any], root: bytes) -> None:
    text, blank, signatures = proof["checkpoint"].rpartition("\n\n")
    must(blank, "the checkpoint is no signed note")
    expected = [proof["origin"], str(proof["size"]), b64encode(root).decode()]
    must(text.split("\n")[:3] == expected, "the checkpoint is not of this origin, size and root")
    must(signatures.endswith("\n"), "the checkpoint is cut short")
    signers = [check_signature_line(line) for line in signatures[:-1].split("\n")]
    must(proof["origin"] in signers, "the log itself did not sign the checkpoint")


def check_signature_line(line: str) -> str:
    """Only its form; who is said to have signed."""
    dash, name, signature = line.split(" ")
    data = b64decode(signature, validate=True)
    must(dash == "\u2014" and b64encode(data).decode() == signature and len(data) > 4, "a signature has a wrong form")
    return name


def check_path(leaf: bytes, index: int, size: int, path: list[bytes], root: bytes) -> None:
    """RFC 9162 section 2.1.3.2, step by step; `fn` and `sn` are its names."""
    must(index < size, "there is no such event in the tree")
    fn, sn, r = index, size - 1, hashlib.sha256(b"\x00" + leaf).digest()
    for p in path:
        must(sn != 0, "the path is too long")
        if fn % 2 == 1 or fn == sn:
            r = hashlib.sha256(b"\x01" + p + r).digest()
            while fn % 2 == 0 and fn != 0:
                fn, sn = fn // 2, sn // 2
        else:
            r = hashlib.sha256(b"\x01" + r + p).digest()
        fn, sn = fn // 2, sn // 2
    must(sn == 0, "the path is too short")
    must(r == root, "the path leads to another root")


def check(data: bytes) -> str:
    proof = json.loads(data)
    must(isinstance(proof, dict) and proof.keys() == FIELDS.keys(), "its fields are not those of a proof")
    must(all(type(proof[name]) is kind for name, kind in FIELDS.items()), "a field is of another type")
    must(proof["seq"] >= 1, "events are counted from 1")
    root, path = from_hex(proof["root"], "root"), [from_hex(each, "path") for each in proof["path"]]
    must(all(len(each) == 32 for each in [root, *path]), "a hash has 32 bytes")
    check_checkpoint(proof, root)
    check_path(from_hex(proof["header"], "header"), proof["seq"] - 1, proof["size"], path, root)
    return f"#{proof['seq']} is among the {proof['size']} events of {proof['origin']} (signature not checked)"


def main(names: list[str]) -> int:
    refused = not names
    for name in names:
        try:
            said = check(Path(name).read_bytes())
        except (Refused, ValueError, TypeError, RecursionError, OSError) as error:
            said, refused = f"REFUSED: {error}", True
        print(f"{name}: {said}")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
