from django.test import Client

from memoryweb.memory.models import Entry
from tests.web.pages import text, url
from tests.world import World

LIFT = {"name": "Lift", "content": "Out of order."}


def _owners() -> list[str]:
    made = Entry.objects.select_related("file__owner").order_by("created_at", "pk")
    return [one.file.owner.source if one.file.owner else "shared" for one in made]


def test_a_new_entry_is_one_s_own_unless_one_says_that_it_is_for_everyone(
    world: World, bob: Client
) -> None:
    page, add = (
        url(world.team, n, world.agent.pk) for n in ("agents_entries", "agents_entries_add")
    )
    assert "Who is it for?" in text(bob.get(page))
    assert bob.post(add, LIFT)["Location"] == f"{page}?owner=me"
    assert bob.post(add, LIFT | {"owner": "shared"})["Location"] == page
    assert _owners() == ["user", "shared"]
    assert "Who is it for?" not in text(bob.get(f"{page}?owner=me"))
    assert bob.post(f"{add}?owner=me", LIFT | {"name": "Stairs"})["Location"] == f"{page}?owner=me"
    assert _owners() == ["user", "shared", "user"]
