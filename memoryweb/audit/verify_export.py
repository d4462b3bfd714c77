"""Check an audit log that was exported as JSONL, or an evidence pack. Needs Python 3.9 or newer and
nothing else.

    python verify_export.py audit.jsonl [--key PUBLIC_KEY]
    python verify_export.py evidence.zip [--key PUBLIC_KEY]

Every event is hashed again and compared with the one after it, every word with its commitment, and
the signed checkpoint with the last event. With --key the checkpoint must be signed with that key
(hexadecimal; the audit page shows it). Ends with 1 and names the first event that is not as it was
written.

An evidence pack holds evidence.json (what a memory held at a moment, what that stands on, and the
prompts that carried it; of messages that whoever made the pack may not read the time and a keyed
digest, which only the installation can compare), audit.jsonl (every event from one on, to a signed
checkpoint) and this file. An event must name the SHA-256 of evidence.json. Whoever forges a pack
can forge the verifier in it, too: take it, and the key, from the audit page.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import sys
import uuid
from collections.abc import Iterable, Iterator
from io import TextIOWrapper
from typing import Any
from zipfile import BadZipFile, ZipFile, is_zipfile

VERSION = 1
GENESIS = bytes(32)
PURPOSE = b"memoryweb audit checkpoint 1\n"
PACKED = ["audit.jsonl", "evidence.json", "verify_export.py"]


Row = dict[str, Any]
Point = tuple[int, int, int, int]


class Altered(Exception):
    pass


def check(lines: Iterable[str], key: str = "", evidence: bytes | None = None) -> list[str]:
    """Returns sentences about what was found. Raises Altered."""
    head, rest = _first(lines)
    team, begin = uuid.UUID(head["team"]), head.get("first", 1)
    count, gaps, erased = 0, 0, 0
    last: Row | None = None
    checkpoint: Row | None = None
    packs: dict[str, int] = {}
    for row in rest:
        if "checkpoint" in row:
            checkpoint = row["checkpoint"]
            continue
        seq = row["seq"]
        if last and seq <= last["seq"]:
            raise Altered(f"Event {seq} does not come after event {last['seq']}.")
        said = _check_event(team, row)
        if last and seq == last["seq"] + 1 and row["previous"] != last["hash"]:
            raise Altered(f"Event {seq} does not follow event {last['seq']}.")
        if seq == 1 and row["previous"] != GENESIS.hex():
            raise Altered("Event 1 is not the first one that was written.")
        if said["action"] == "evidence.packed":
            packs[said["details"]["sha256"]] = seq
        gaps += seq != (last["seq"] + 1 if last else begin)
        erased += len(said["labels"]) - len(row["labels"])
        count, last = count + 1, row
    if count != head["events"]:
        raise Altered(f"The file announces {head['events']} events and holds {count}.")
    if checkpoint is None:
        raise Altered("The file has no signed checkpoint: its end is missing.")
    told = [_checkpoint(checkpoint, str(team), last, key)]
    gaps += (last["seq"] if last else 0) != checkpoint["seq"]
    words = f" Words not in this file: {erased}." if erased else ""
    whole = f"{count} events, each as it was written. {_whole(head, begin, gaps)}{words}"
    return [whole, *told] if evidence is None else [whole, *told, _packed(head, evidence, packs)]


def _whole(head: Row, begin: int, gaps: int) -> str:
    if head["filter"]:
        return "Only what a filter let through: nobody can see from this file what it left out."
    if gaps:
        raise Altered("Events are missing, though nothing was filtered out.")
    if begin > 1:
        return f"The chain is whole from event {begin} on; what came before is not in this file."
    return "The chain is whole."


def _packed(head: Row, evidence: bytes, packs: dict[str, int]) -> str:
    seq = packs.get(hashlib.sha256(evidence).hexdigest())
    if head["filter"] or seq is None:
        raise Altered("evidence.json is not what an event of this log says was packed.")
    return f"evidence.json is as it was packed: event {seq} has its SHA-256."


def _first(lines: Iterable[str]) -> tuple[Row, Iterator[Row]]:
    rows = (json.loads(line) for line in lines if line.strip())
    head = next(rows, None)
    if not isinstance(head, dict) or head.get("format") != "memoryweb-audit-1":
        raise Altered("This is no audit log of memoryweb in JSONL.")
    return head, rows


def _check_event(team: uuid.UUID, row: Row) -> Row:
    """What it says."""
    seq, canonical = row["seq"], row["canonical"].encode()
    start = bytes([VERSION]) + team.bytes + seq.to_bytes(8, "big") + bytes.fromhex(row["previous"])
    if hashlib.sha256(start + canonical).hexdigest() != row["hash"]:
        raise Altered(f"Event {seq} was altered: its hash does not match what it says.")
    said: Row = json.loads(canonical)
    for name, label in row["labels"].items():
        salt = bytes.fromhex(label["salt"])
        made = hmac.new(salt, label["text"].encode(), hashlib.sha256).hexdigest()
        if said["labels"].get(name) != made:
            raise Altered(f"Event {seq} was altered: its {name} does not match its commitment.")
    return said


def _checkpoint(one: Row, team: str, last: Row | None, key: str) -> str:
    if one["team"] != team:
        raise Altered("The checkpoint is about another team.")
    if key and one["key"] != key:
        raise Altered("The checkpoint is signed with another key.")
    said = {name: one[name] for name in ("team", "seq", "hash", "at")}
    text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    message = PURPOSE + text.encode()
    if not ed25519(bytes.fromhex(one["key"]), message, bytes.fromhex(one["signature"])):
        raise Altered("The signature of the checkpoint is wrong.")
    if last and last["seq"] > one["seq"]:
        raise Altered(f"Event {last['seq']} is not covered by the checkpoint.")
    if last and last["seq"] == one["seq"] and last["hash"] != one["hash"]:
        raise Altered(f"The checkpoint knows another event in the place of {one['seq']}.")
    trust = "" if key else " Compare its key with the one on the audit page: " + one["key"]
    return f"Checkpoint of event {one['seq']}, signed at {one['at']}.{trust}"


# Verifying an Ed25519 signature, after RFC 8032, section 5.1.7.
P = 2**255 - 19
Q = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def ed25519(public: bytes, message: bytes, signature: bytes) -> bool:
    if len(public) != 32 or len(signature) != 64:
        return False
    a, r = _point(public), _point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= Q:
        return False
    digest = hashlib.sha512(signature[:32] + public + message).digest()
    k = int.from_bytes(digest, "little") % Q
    left, right = _times(s, BASE), _add(r, _times(k, a))
    return (
        (left[0] * right[2] - right[0] * left[2]) % P
        == 0
        == (left[1] * right[2] - right[1] * left[2]) % P
    )


def _point(data: bytes) -> Point | None:
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    if y >= P:
        return None
    squared = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(squared, (P + 3) // 8, P)
    if (x * x - squared) % P:
        x = x * ROOT % P
    if (x * x - squared) % P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return (x, y, 1, x * y % P)


def _add(one: Point, other: Point) -> Point:
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c, d = 2 * one[3] * other[3] * D % P, 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def _times(number: int, point: Point) -> Point:
    result: Point = (0, 1, 1, 0)
    while number:
        if number & 1:
            result = _add(result, point)
        point, number = _add(point, point), number >> 1
    return result


BASE = _point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little")) or (0, 1, 1, 0)


def _check_file(path: str, key: str) -> list[str]:
    if not is_zipfile(path):
        with open(path, encoding="utf-8") as lines:
            return check(lines, key)
    with ZipFile(path) as pack:
        if sorted(pack.namelist()) != PACKED:
            raise Altered(f"A pack holds {', '.join(PACKED)}, each once, and nothing else.")
        with pack.open("audit.jsonl") as log:
            return check(TextIOWrapper(log, "utf-8"), key, pack.read("evidence.json"))


def main(arguments: list[str]) -> int:
    key = ""
    if "--key" in arguments:
        at = arguments.index("--key")
        key, arguments = arguments[at + 1].lower(), arguments[:at] + arguments[at + 2 :]
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.stdout.write(f"{__doc__}\n")
        return 2
    try:
        told = _check_file(arguments[0], key)
    except Altered as problem:
        sys.stdout.write(f"NOT AS WRITTEN: {problem}\n")
        return 1
    except (ValueError, KeyError, TypeError, AttributeError, OSError, BadZipFile) as problem:
        sys.stdout.write(f"This file can't be read: {problem}\n")
        return 1
    sys.stdout.write("\n".join(told) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
