"""What is said against memory is found without reading all that is said."""

import json
import re
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import pytest

from memoryweb.language.extraction_rules import Act, Claim, claim_of, takes_back
from memoryweb.memory.models import Conversation, Message
from memoryweb.memory.statements.spoken_corrections import claims_against
from tests.memory.test_own_words import say
from tests.world import World

PEOPLE = Path(__file__).parents[2] / "scripts" / "people"
DAY = datetime(2026, 5, 1, tzinfo=UTC)
SENTENCES = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")


def told(*names: str) -> list[str]:
    files = [file for kind in ("changes", "pairs") for file in PEOPLE.glob(f"{kind}/*.fit.jsonl")]
    items = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    said = (one["text"] for item in items for name in names for one in item.get(name, ()))
    return [part.strip() for text in said for part in SENTENCES.split(text) if part.strip()]


def is_against(claim: Claim) -> bool:
    return claim.key is not None or claim.act not in {Act.STATES, Act.ASKS}


def test_all_that_reading_each_sentence_finds_is_found() -> None:
    older, hidden = told("before", "between"), 0
    for text in [*older, *told("change", "later")]:
        if text.endswith(("?", "？")):
            continue
        read = claim_of(text, DAY.date())
        is_ahead = read.valid_from is not None and read.valid_from > DAY.date()
        claims = [read] if is_against(read) and not is_ahead else []
        said = {"raw_content": text, "timestamp": DAY, "created_at": DAY}
        found = list(claims_against(Message(conversation=Conversation(), **said)))
        assert found == claims
        hidden += sum(takes_back(claim, one) for claim, one in product(claims, older))
    assert hidden


@pytest.mark.django_db
def test_nothing_is_read_where_nothing_is_remembered(world: World) -> None:
    claim_of.cache_clear()
    say(world, world.customer, "We moved to Berlin. My boss is called Anke now.")
    assert claim_of.cache_info().misses == 0
