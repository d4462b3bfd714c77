"""A dream on a topic takes what the notes say of it, and no night away."""

from django.utils import timezone

from memoryweb.dreaming import schedule
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from tests.dreaming.nights import note, text_of
from tests.web.pages import text, url
from tests.world import World, signed_in

OFFICE, RELEASE = "The office closes at six.", "We release on Thursdays."


def test_it_takes_what_is_said_of_the_topic_and_leaves_the_rest_to_the_night(world: World) -> None:
    now = timezone.now()
    note(world, None, now.date(), OFFICE, RELEASE)
    client = signed_in(world.bob)
    client.post(url(world.team, "agents_dream", world.agent.pk), {"topic": " releases "})
    run = Run.objects.get(kind="dream", topic="releases")
    engine.work(run.pk)
    assert RELEASE in text_of(world, None)
    assert OFFICE not in text_of(world, None)
    assert "about “releases”" in text(client.get(url(world.team, "agents_run", run.pk)))
    assert None in schedule.with_new_notes(world.agent, now)


def test_nobody_dreams_on_a_topic_in_another_s_memory(world: World) -> None:
    asked = url(world.team, "agents_dream", world.agent.pk, query=f"?owner={world.customer.pk}")
    assert signed_in(world.bob).post(asked, {"topic": "release"}).status_code in {403, 404}
    assert not Run.objects.filter(kind="dream").exists()
