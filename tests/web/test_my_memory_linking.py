"""A chat account linked to oneself by a code typed on My memory."""

from django.test import Client

from memoryweb.agents.models import Owner
from memoryweb.agents.one_time_codes import Purpose, issue
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.models import AuthorKind
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from tests.web.pages import actions, text, url
from tests.web.stage import Stage
from tests.world import World, signed_in


def code(world: World, owner: Owner | None = None) -> str:
    return issue(
        owner=owner or world.sender,
        integration=world.integration,
        purpose=Purpose.LINK,
        by=SYSTEM,
    ).secret


def test_a_code_typed_here_links_the_account(stage: Stage, bob: Client) -> None:
    world = stage.world
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.sender, "MEMORY.md")
        write(tx, place, "- Said in chat.\n", writer=Writer(AuthorKind.SYSTEM))
    assert "Said in chat." not in text(bob.get(url(stage.world.team, "mine")))
    answer = bob.post(url(world.team, "mine_link"), {"code": code(world)}, follow=True)
    assert "Said in chat." in text(answer)
    files = url(world.team, "agents_files", world.agent.pk, query="?owner=slack:U1")
    assert bob.get(files).status_code == 200
    bob.post(url(world.team, "mine_unlink", world.sender.pk))
    assert bob.get(files).status_code == 404
    assert actions(world.team)[-3:] == ["owner.code_issued", "owner.linked", "owner.unlinked"]


def test_every_wrong_code_is_told_the_same(stage: Stage, bob: Client) -> None:
    world = stage.world
    used = code(world)
    signed_in(world.vera).post(url(world.team, "mine_link"), {"code": used})
    said = set()
    for wrong in (used, code(world, world.customer)[:-1], "?"):
        answer = bob.post(url(world.team, "mine_link"), {"code": wrong})
        assert answer.status_code == 422
        said.add(text(answer).split('class="errors"')[1].split("</ul>")[0])
    assert len(said) == 1


def test_the_admin_links_and_unlinks_nobody_else(stage: Stage, alice: Client) -> None:
    world = stage.world
    Owner.objects.filter(pk=world.sender.pk).update(person=world.bob)
    for owner in (world.sender, world.customer, world.bobs_memory):
        assert alice.post(url(world.team, "mine_unlink", owner.pk)).status_code == 404
    world.sender.refresh_from_db()
    assert world.sender.person == world.bob


def test_ones_own_account_cannot_be_unlinked(stage: Stage, bob: Client) -> None:
    answer = bob.post(url(stage.world.team, "mine_unlink", stage.world.bobs_memory.pk))
    assert answer.status_code == 404


def test_a_code_with_spaces_and_small_letters_works(stage: Stage, bob: Client) -> None:
    typed = f" {code(stage.world).lower().replace('-', ' ')} "
    assert bob.post(url(stage.world.team, "mine_link"), {"code": typed}).status_code == 302
