"""What a preview tells and costs, and that it writes nothing."""

import pytest
from django.test import Client
from django.utils import timezone

from memoryweb.dreaming import schedule
from memoryweb.memory.models import Revision
from memoryweb.memory.models.writer import Memory, write_transaction
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.dreaming.nights import add, answer, note, text_of
from tests.fakes import ModelServer
from tests.web.pages import text, url
from tests.world import World, signed_in

LINE = "Our office team ships on Thursdays."
WORDS = "The office team ships every Thursday."


@pytest.fixture
def admin(world: World) -> Client:
    return signed_in(world.alice)


def test_rules_and_model_stand_side_by_side_and_nothing_is_written(
    world: World, admin: Client, model_server: ModelServer
) -> None:
    note(world, None, timezone.now().date(), LINE)
    model_server.answer(answer(add(WORDS)))
    revisions = Revision.objects.count()
    page = text(admin.get(_page(world)))
    assert (LINE in page, WORDS in page, "One call of about" in page) == (True, False, True)
    run = _asked(world, admin)
    page = text(admin.get(_page(world)))
    assert (LINE in page, WORDS in page) == (True, True)
    assert f"{run.tokens_in} tokens in, {run.tokens_out} out" in page
    assert Revision.objects.count() == revisions


def test_a_dream_takes_the_answer_to_the_same_question(
    world: World, admin: Client, model_server: ModelServer
) -> None:
    note(world, None, timezone.now().date(), LINE)
    model_server.answer(answer(add(WORDS)))
    asked = _asked(world, admin)
    run = _dream(world)
    assert (run.tokens_in, run.model, len(model_server.requests)) == (0, asked.model, 1)
    assert WORDS in text_of(world, None)


def test_what_was_noted_since_is_asked_anew(
    world: World, admin: Client, model_server: ModelServer
) -> None:
    note(world, None, timezone.now().date(), LINE)
    model_server.answer(answer(add(WORDS)))
    _asked(world, admin)
    note(world, None, timezone.now().date(), "The lift is out of order until March.")
    assert "One call of about" in text(admin.get(_page(world)))
    _dream(world)
    assert len(model_server.requests) == 2


def test_without_a_model_the_rules_stand_alone(world: World, admin: Client) -> None:
    note(world, None, timezone.now().date(), LINE)
    assert "No model is set up." in text(admin.get(_page(world)))


def _page(world: World) -> str:
    return url(world.team, "agents_tonight", world.agent.pk)


def _asked(world: World, client: Client) -> Run:
    client.post(_page(world) + "ask/")
    run = Run.objects.get(kind="preview")
    engine.work(run.pk)
    run.refresh_from_db()
    assert run.reason == "previewed"
    return run


def _dream(world: World) -> Run:
    with write_transaction(world.team) as tx:
        run = schedule.request(tx, Memory(world.agent, None), trigger="command").run
    engine.work(run.pk)
    return Run.objects.get(pk=run.pk)
