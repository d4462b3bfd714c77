"""Evidence packs for an auditor's programs."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django_scopes import scope

from memoryweb.accounts.models import Team
from memoryweb.agents.models import Owner
from memoryweb.agents.owners import person_owner
from memoryweb.audit import keys
from memoryweb.audit.models import Event
from memoryweb.memory import forgetting
from memoryweb.memory.models import AuthorKind, Fact
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from tests.api.callers import Callers, narrow
from tests.api.client import Api
from tests.api.test_facts import SAID, held
from tests.web.test_evidence import verified
from tests.world import World, personal_token

BOTH = ("memory:read", "audit:read")


@pytest.fixture
def auditor(world: World) -> Api:
    return narrow(world.team, BOTH, user=world.audrey)[1]


@pytest.fixture
def fact(world: World) -> Fact:
    return _written(world, "The release is on Thursday.")


def _written(world: World, text: str, owner: Owner | None = None) -> Fact:
    with write_transaction(world.team) as tx:
        place, by = Place(world.agent, owner, "MEMORY.md"), Writer(AuthorKind.AGENT)
        write(tx, place, f"- {text}\n", writer=by)
    with scope(team=world.team):
        return world.agent.facts.get(owner=owner)


def _pack(api: Api, memory: str, fact: Fact, query: str = "") -> Any:
    return api.get(f"{memory}/facts/{fact.pk}/evidence{query}")


def test_a_pack_is_verified_without_memoryweb(
    auditor: Api, memory: str, fact: Fact, tmp_path: Path
) -> None:
    answer = _pack(auditor, memory, fact)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert verified(tmp_path, files, "--key", keys.public_key())[0] == 0
    told = json.loads(files["evidence.json"])
    assert [one["text"] for one in told["held"]] == ["- The release is on Thursday."]
    packed = Event.objects.get(action="evidence.packed")
    assert (packed.actor_role, packed.target_id) == ("auditor", str(fact.pk))
    before = _pack(auditor, memory, fact, "?at=2020-11-20T09:00:00Z").content
    with zipfile.ZipFile(io.BytesIO(before)) as archive:
        assert json.loads(archive.read("evidence.json"))["held"] == []


def test_auditors_alone_make_one_as_a_person_who_reads_memory_and_log(
    world: World, callers: Callers, memory: str, fact: Fact
) -> None:
    program = Api(personal_token(world.team, world.audrey, act_as_person=False))
    assert _pack(program, memory, fact).json()["code"] == "person_required"
    for api in (callers.admin, callers.member, callers.viewer, callers.helpdesk):
        assert _pack(api, memory, fact).status_code == 403
    for one in BOTH:
        api = narrow(world.team, [one], user=world.audrey)[1]
        assert _pack(api, memory, fact).json()["code"] == "scope_missing"
    assert not Event.objects.filter(action="evidence.packed").exists()


def test_what_is_of_others_or_to_be_forgotten_is_not_found(
    world: World, auditor: Api, memory: str, fact: Fact
) -> None:
    anothers = held(world)
    twin = world.twin.agent.pk
    assert _pack(auditor, memory, anothers).status_code == 404
    assert _pack(auditor, f"/memory/{twin}", fact).status_code == 404
    assert auditor.get(f"{memory}/facts/1/evidence").status_code == 404
    with write_transaction(world.team) as tx:
        alice = Writer(AuthorKind.PERSON, user=world.alice)
        forgetting.forget_fact(tx, fact, writer=alice, is_theirs=True)
    assert _pack(auditor, memory, fact).status_code == 404


def test_of_anothers_talk_a_pack_has_a_digest(
    world: World, auditor: Api, memory: str, fact: Fact
) -> None:
    said = held(world).evidence.get()
    fact.evidence.update(message=said.message, root=None)
    answer = _pack(auditor, memory, fact)
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        [ground] = json.loads(archive.read("evidence.json"))["standsOn"]
        assert not [one for one in archive.namelist() if SAID.encode() in archive.read(one)]
    assert ground["digest"] == keys.print_of("memoryweb.evidence", SAID)


def test_of_their_own_memory_it_has_the_words(world: World, auditor: Api, memory: str) -> None:
    own = _written(world, "Audrey is on leave.", person_owner(world.team, world.audrey))
    assert _pack(auditor, memory, own).status_code == 200


@pytest.mark.parametrize("at", ["", "yesterday", "1900-01-01T00:00:00Z", "2026-11-20", "9" * 400])
def test_a_moment_has_its_zone_and_is_of_this_century(
    auditor: Api, memory: str, fact: Fact, at: str
) -> None:
    assert _pack(auditor, memory, fact, f"?at={at}").json()["code"] == "invalid"


def test_no_quota_refuses_one(world: World, auditor: Api, memory: str, fact: Fact) -> None:
    Team.objects.filter(pk=world.team.pk).update(
        requests_day=1, requests_minute=1, stored_mb=1, stored_bytes=2_000_000
    )
    assert [_pack(auditor, memory, fact).status_code for _n in range(2)] == [200, 200]
