"""A thousand turns with a model of 16,000 tokens."""

import json
import random
from typing import Any

import pytest
from django_scopes import scope

from memoryweb.llm.tokens import estimate_messages
from memoryweb.memory.models import Conversation, Marker
from tests.api.callers import Callers
from tests.chat.test_chat import asked
from tests.fakes import Behaviour, ModelServer, Received
from tests.world import World

WINDOW, TURNS = 16_000, 1_000
TOLD, ASKED = 5, 900
BOX = "By the way, my grandmother's recipe box stands in the blue chest under the stairs."
WORDS = (
    "garden ladder market kettle window bicycle letter kitchen harbour violin winter ticket "
    "train coffee pepper mountain doctor lantern museum bridge pillow candle basket engine"
)


@pytest.mark.slow
def test_no_prompt_is_too_large_and_what_was_told_early_is_found_late(
    world: World, callers: Callers, model_server: ModelServer, settings: Any
) -> None:
    settings.MODEL_WINDOW = WINDOW
    model_server.default = _answer
    dice = random.Random(7)
    archived = []
    for turn in range(1, TURNS + 1):
        message = {TOLD: BOX, ASKED: "Where is my grandmother's recipe box?"}.get(turn)
        body = asked(world, message=message or " ".join(dice.choices(WORDS.split(), k=60)))
        before = len(model_server.requests)
        told = callers.helpdesk.post("/chat", body)
        assert told.status_code == 200, told.content
        archived += [told.json()["archived"]] if told.json()["archived"] else []
        if turn == ASKED:
            sent = model_server.requests[-1]
            assert "blue chest" in sent.system + sent.user
        for sent in model_server.requests[before:]:
            texts = [one["content"] for one in sent.body["messages"]]
            assert estimate_messages(texts) < WINDOW
    assert 2 * TURNS - sum(one["count"] for one in archived) <= 52  # the rest stands in prompts
    assert all(one["name"] and one["summary"] for one in archived)
    with scope(team=world.team):
        talk = Conversation.objects.get(external_id="c-1")
        assert talk.message_count == 2 * TURNS
        assert Marker.objects.filter(conversation=talk).count() == len(archived)


def _answer(received: Received) -> Behaviour:
    """Summaries are asked for as JSON, answers are prose."""
    try:
        said = received.data["turns"]
    except (KeyError, TypeError, ValueError, AttributeError):
        return Behaviour("I see. Tell me more about it. " * 5)
    return Behaviour(json.dumps({"summary": f"They spoke {len(said)} times of this and that."}))
