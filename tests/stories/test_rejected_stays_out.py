"""What a person rejected is not proposed again, in whatever words, by whichever consolidator."""

from datetime import date, timedelta

import pytest

from memoryweb.agents.models import Agent
from memoryweb.dreaming.models import Operation
from memoryweb.memory.models import AuthorKind, Proposal
from memoryweb.memory.models.writer import Place, Writer, write_transaction
from memoryweb.memory.review import proposals
from memoryweb.memory.writing.write import write
from tests.dreaming.nights import NIGHT, add, answer, dream, note, text_of
from tests.fakes import ModelServer
from tests.world import World

pytestmark = pytest.mark.django_db
SAID = "We always book rooms at the Acme when the fair is on."
WORDS = (
    "The Acme is our hotel during the fair.",
    "Fair time means rooms at the Acme.",
    "For the fair, the Acme hosts us.",
)


@pytest.fixture
def careful(world: World) -> World:
    Agent.objects.filter(pk=world.agent.pk).update(policy=Agent.Policy.REVIEW)
    world.agent.refresh_from_db()
    return world


def reject(world: World) -> None:
    with write_transaction(world.team) as tx:
        proposals.reject(tx, Proposal.objects.get(state="pending"), by=world.alice)


def nights(world: World, model_server: ModelServer, *, after: int) -> list[date]:
    """Three more with a model that says it anew, then one of the rules."""
    days = [NIGHT + timedelta(days=after + n) for n in range(3)]
    for day, words in zip(days, WORDS, strict=True):
        model_server.answer(answer(add(words)))
        dream(world, world.customer, day)
    Agent.objects.filter(pk=world.agent.pk).update(consolidator=Agent.Consolidator.RULES)
    dream(world, world.customer, days[-1] + timedelta(days=1))
    return days


def test_a_models_words_for_it_stay_out_with_all_other_words(
    careful: World, model_server: ModelServer
) -> None:
    note(careful, careful.customer, NIGHT, SAID)
    model_server.answer(answer(add("We book rooms at the Acme when the fair is on.")))
    dream(careful, careful.customer)
    reject(careful)
    nights(careful, model_server, after=1)
    assert not Proposal.objects.filter(state="pending").exists()
    assert "Acme" not in text_of(careful, careful.customer)
    codes = Operation.objects.filter(report__run__night__gt=NIGHT).values_list("code", flat=True)
    assert set(codes) == {"rejected"}


def test_what_the_rules_proposed_stays_out_in_a_models_words(
    careful: World, model_server: ModelServer
) -> None:
    note(careful, careful.customer, NIGHT, SAID)
    Agent.objects.filter(pk=careful.agent.pk).update(consolidator=Agent.Consolidator.RULES)
    dream(careful, careful.customer)
    reject(careful)
    Agent.objects.filter(pk=careful.agent.pk).update(consolidator=Agent.Consolidator.AUTO)
    nights(careful, model_server, after=1)
    assert not Proposal.objects.filter(state="pending").exists()


def test_the_same_value_stays_out_also_from_another_note(careful: World) -> None:
    """What nobody said after it is no news; another value is."""
    Agent.objects.filter(pk=careful.agent.pk).update(consolidator=Agent.Consolidator.RULES)
    note(careful, careful.customer, NIGHT, "My sister lives in Leeds.")
    dream(careful, careful.customer)
    reject(careful)
    note(careful, careful.customer, NIGHT + timedelta(days=1), "My sister moved to Leeds.")
    dream(careful, careful.customer, NIGHT + timedelta(days=2))
    assert not Proposal.objects.filter(state="pending").exists()
    note(careful, careful.customer, NIGHT + timedelta(days=2), "My sister moved to York.")
    dream(careful, careful.customer, NIGHT + timedelta(days=3))
    assert "York" in Proposal.objects.get(state="pending").raw_content


def test_a_person_writes_it_all_the_same(careful: World) -> None:
    note(careful, careful.customer, NIGHT, SAID)
    dream(careful, careful.customer)
    reject(careful)
    with write_transaction(careful.team) as tx:
        place = Place(careful.agent, careful.customer, "MEMORY.md")
        writer = Writer(AuthorKind.PERSON, user=careful.alice)
        write(tx, place, f"# Memory\n\n- {SAID}\n", writer=writer)
    assert SAID in text_of(careful, careful.customer)
