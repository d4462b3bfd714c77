"""An older and a newer statement of an owner's, and the question whether the older one holds."""

from datetime import timedelta

from django.utils import timezone

from memoryweb.agents.models import Owner
from memoryweb.memory import questions
from memoryweb.memory.models import AuthorKind, Contradiction, Fact
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.writing.write import write
from tests.world import World

OLDER, NEWER = "Dr Nowak in Altona is my dentist.", "I moved from Altona to Porto."


def ask(
    world: World,
    owner: Owner,
    *,
    alone: bool = False,
    older_text: str = OLDER,
    newer_text: str = NEWER,
) -> Contradiction:
    """Two statements of the owner's, said on 28 September and on 2 October."""
    with write_transaction(world.team) as tx:
        place = Place(world.agent, owner, "MEMORY.md")
        text = f"# Memory\n\n- {older_text}\n- {newer_text}\n"
        write(tx, place, text, writer=Writer(AuthorKind.DREAM))
        older, newer = (
            Fact.objects.get(owner=owner, raw_text=one) for one in (older_text, newer_text)
        )
        at = timezone.now().replace(month=9, day=28, hour=12)
        Fact.objects.filter(pk=older.pk).update(said_at=at)
        Fact.objects.filter(pk=newer.pk).update(said_at=at + timedelta(days=4))
        pairs = [(older, None if alone else newer)]
        assert questions.ask(tx, Memory(world.agent, owner), pairs) == 1
        assert questions.ask(tx, Memory(world.agent, owner), pairs) == 0
        return Contradiction.objects.get(owner=owner)
