"""Questions whether something still holds, listed and answered by the API."""

from memoryweb.memory.models import Fact
from tests.api.callers import Callers
from tests.facts.asking import NEWER, OLDER, ask
from tests.world import World


def test_its_person_reads_and_answers_a_question(world: World, callers: Callers) -> None:
    found = ask(world, world.bobs_memory)
    path = f"/memory/{world.agent.pk}"
    listed = callers.member.get(f"{path}/facts/contradictions?owner=me").json()["items"]
    asked = f"You said “{NEWER[:-1]}” (2 Oct). Is “{OLDER[:-1]}” (28 Sep) still true?"
    assert [(one["id"], one["question"], one["a"]["text"]) for one in listed] == [
        (str(found.pk), asked, OLDER)
    ]
    answer = {"resolution": "IGNORE"}
    done = callers.member.post(f"{path}/contradictions/{found.pk}/resolve", answer).json()
    assert (done["state"], done["resolution"]) == ("ignored", "IGNORE")
    assert Fact.objects.get(raw_text=OLDER).confirmed_by == world.bob
    assert Fact.objects.get(raw_text=NEWER).confirmed_by is None


def test_a_teammate_neither_reads_nor_answers_it(world: World, callers: Callers) -> None:
    found = ask(world, world.bobs_memory)
    path = f"/memory/{world.agent.pk}"
    assert callers.admin.get(f"{path}/facts/contradictions").json()["items"] == []
    resolve = f"{path}/contradictions/{found.pk}/resolve"
    assert callers.admin.post(resolve, {"resolution": "KEEP_B"}).status_code == 404
