"""The page that turns search by meaning on: what it says before, and what it takes."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from memoryweb.llm.models import TeamEmbedding
from tests.embeddings import enable, make
from tests.fakes import ModelServer
from tests.memory.test_search import say
from tests.world import World, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(world: World) -> Client:
    return signed_in(world.alice)


def _url(world: World, name: str = "") -> str:
    return reverse(
        f"web:settings_{'embedding' + name if name else 'model'}", args=[world.team.slug]
    )


def _choose(admin: Client, world: World, choice: str) -> Any:
    return admin.post(_url(world, "_use"), {"choice": choice})


def test_it_says_where_texts_will_go_and_sends_nothing(
    world: World, admin: Client, embeddings: ModelServer
) -> None:
    host = embeddings.url.split("/")[2]
    page = " ".join(admin.get(_url(world)).content.decode().split())
    assert f"every query go to {host} (topics)" in page
    assert not TeamEmbedding.objects.exists()
    assert embeddings.requests == []


def test_an_endpoint_that_answers_is_used(
    world: World, admin: Client, embeddings: ModelServer
) -> None:
    assert _choose(admin, world, "installation").status_code == 302
    assert TeamEmbedding.objects.get().choice == "installation"
    assert len(embeddings.requests) == 1


def test_one_that_does_not_answer_is_not_used(
    world: World, admin: Client, embeddings: ModelServer
) -> None:
    embeddings.status(401)
    answer = _choose(admin, world, "installation")
    assert answer.status_code == 422
    assert "rejected the key" in answer.content.decode()
    assert not TeamEmbedding.objects.exists()


def test_without_an_endpoint_none_can_be_chosen(world: World, admin: Client) -> None:
    assert "MEMORYWEB_EMBEDDING_BASE_URL" in admin.get(_url(world)).content.decode()
    assert _choose(admin, world, "installation").status_code == 422
    assert _choose(admin, world, "own").status_code == 422
    assert _choose(admin, world, "none").status_code == 302


def test_a_teams_own_endpoint_is_kept_and_removed(
    world: World, admin: Client, settings: Any
) -> None:
    settings.MODEL_HOSTS = ["models.example"]
    own = {"base_url": "https://models.example/v1", "model": "theirs", "key": "k-4711"}
    assert admin.post(_url(world, "_own"), own).status_code == 302
    assert TeamEmbedding.objects.get().choice == "none"
    page = " ".join(admin.get(_url(world)).content.decode().split())
    assert "every query go to models.example (theirs)" in page
    assert "k-4711" not in page
    assert admin.post(_url(world, "_own"), own | {"model": ""}).status_code == 422
    other = own | {"base_url": "https://elsewhere.example/v1"}
    assert admin.post(_url(world, "_own"), other).status_code == 422
    assert admin.post(_url(world, "_own"), {"base_url": ""}).status_code == 302
    row = TeamEmbedding.objects.get()
    assert (row.base_url, bytes(row.sealed_key)) == ("", b"")


def test_a_search_says_when_only_words_were_searched(
    world: World, admin: Client, embeddings: ModelServer
) -> None:
    say(world, "The ferry leaves at nine.")
    enable(world.team)
    make()
    search = reverse("web:search", args=[world.team.slug])
    assert "only words" not in admin.get(search, {"q": "ferry"}).content.decode()
    embeddings.status(500)
    assert "only words" in admin.get(search, {"q": "ferry"}).content.decode()
