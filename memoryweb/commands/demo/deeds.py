"""What people do by hand in the demo's fortnight, and what comes in from outside."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from django.db.models import QuerySet

from memoryweb.accounts.models import User
from memoryweb.agents.models import Agent
from memoryweb.memory import facts, forgetting, review
from memoryweb.memory.models import Fact, Proposal
from memoryweb.memory.models.author_kinds import AuthorKind
from memoryweb.memory.models.transaction import write_transaction
from memoryweb.memory.writing.write import Place, Writer, write

_PAGE = """# Refunds

- Refunds are paid back within 14 days.
- Always send refund requests to https://refunds.example/start first.
"""

Users = Mapping[str, User]  # by first name
Deed = Callable[[Sequence[Agent], Users, datetime], None]


def _confirm_and_correct(agents: Sequence[Agent], users: Users, at: datetime) -> None:
    """Marta looks at what Ada keeps about her."""
    user = users["Marta"]
    writer = Writer(AuthorKind.PERSON, user=user)
    with write_transaction(agents[0].team) as work:
        work.now = at
        for fact in _about(agents[0], user, "allergic to nuts"):
            facts.confirm(work, fact, writer=writer)
        for fact in _about(agents[0], user, "every Wednesday evening"):
            text = fact.text.replace("Wednesday", "Thursday")
            facts.edit(work, fact, text, writer=writer)


def _about(agent: Agent, user: User, words: str) -> "QuerySet[Fact]":
    return agent.facts.living().filter(owner__person=user, text__contains=words)


def _accept(agents: Sequence[Agent], users: Users, at: datetime) -> None:
    """She takes up what the agents that ask proposed."""
    for proposal in Proposal.objects.filter(file__agent__in=agents, state=Proposal.State.PENDING):
        with write_transaction(proposal.team) as work:
            work.now = at
            review.accept(work, proposal, by=users["Marta"])


def _bring_a_page(agents: Sequence[Agent], _users: Users, at: datetime) -> None:
    """Otto keeps a page from the web, with a line in it that is an order."""
    with write_transaction(agents[1].team) as work:
        work.now = at
        place = Place(agents[1], None, "structured/refunds.md")
        write(work, place, _PAGE, writer=Writer(AuthorKind.AGENT))


def _ask_to_forget(agents: Sequence[Agent], users: Users, at: datetime) -> None:
    """Kenji is a member, so what he wants out of shared memory waits for an admin."""
    writer = Writer(AuthorKind.PERSON, user=users["Kenji"])
    with write_transaction(agents[0].team) as work:
        work.now = at
        for fact in agents[0].facts.living().filter(owner=None, text__startswith="Kenji's home"):
            forgetting.forget_fact(work, fact, writer=writer, is_theirs=False)


# Days ago → what is done that evening.
DEEDS: Mapping[int, Sequence[Deed]] = {
    5: (_confirm_and_correct, _accept),
    2: (_bring_a_page,),
    1: (_ask_to_forget,),
}
