"""What is hidden of a memory, whoever asked."""

import pytest

from memoryweb.memory.forgetting import finding
from memoryweb.memory.forgetting.hiding import Wish, hide, open_request
from memoryweb.memory.models import AuthorKind, Fact, ForgetRequest
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.visible import hidden
from memoryweb.memory.writing.write import write
from tests.world import World

pytestmark = [pytest.mark.databases, pytest.mark.django_db]


def test_the_shared_memory_knows_what_an_owner_asked_to_hide_of_it(world: World) -> None:
    with write_transaction(world.team) as tx:
        writer = Writer(AuthorKind.PERSON, user=world.alice)
        write(tx, Place(world.agent, None, "MEMORY.md"), "# M\n\n- I weigh 62.\n", writer=writer)
        fact = Fact.objects.get(owner=None, agent=world.agent)
        request = open_request(tx, Wish(Memory(world.agent, world.customer), ForgetRequest.Via.API))
        hide(tx, request, [finding.fact_mention(fact)])
    of = (world.team.pk, world.agent.pk)
    assert hidden.of_memory(*of, None).facts == {fact.pk}
    assert not hidden.of_memory(*of, world.customer.pk)
