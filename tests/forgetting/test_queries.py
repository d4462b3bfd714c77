"""What is hidden of a memory, whoever asked."""

import pytest

from memoryweb.facts.models import Fact
from memoryweb.forgetting import queries
from memoryweb.forgetting.models import Request
from memoryweb.memory.forgetting import targets
from memoryweb.memory.forgetting.hiding import Asked, ask, hide
from memoryweb.memory.transaction import write_transaction
from memoryweb.memory.write import Place, Writer, write
from memoryweb.workspace.author_kinds import AuthorKind
from tests.world import World

pytestmark = [pytest.mark.databases, pytest.mark.django_db]


def test_the_shared_memory_knows_what_an_owner_asked_to_hide_of_it(world: World) -> None:
    with write_transaction(world.team) as work:
        writer = Writer(AuthorKind.PERSON, user=world.alice)
        write(work, Place(world.agent, None, "MEMORY.md"), "# M\n\n- I weigh 62.\n", writer=writer)
        fact = Fact.objects.get(owner=None, agent=world.agent)
        request = ask(work, Asked(world.agent, world.customer, Request.Via.API))
        hide(work, request, [targets.fact_place(fact)])
    of = (world.team.pk, world.agent.pk)
    assert queries.of_memory(*of, None).facts == {fact.pk}
    assert not queries.of_memory(*of, world.customer.pk)
