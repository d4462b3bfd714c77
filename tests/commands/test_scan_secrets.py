import json
from io import StringIO

import pytest
from django.core.management import call_command

from memoryweb.memory.models import File
from tests.language.test_credentials import draw
from tests.world import World

pytestmark = pytest.mark.django_db


def _run(world: World, *more: str) -> str:
    out = StringIO()
    call_command("scan_secrets", "--team", world.team.slug, *more, stdout=out, stderr=out)
    return out.getvalue()


def test_it_finds_and_masks_and_never_prints_a_secret(world: World) -> None:
    secret = "ghp_" + draw(36)
    file = File.objects.get(agent=world.agent, owner=None, path="MEMORY.md")
    File.objects.filter(pk=file.pk).update(raw_content=f"# Memory\n\nKey: {secret}\n")
    found = json.loads(_run(world, "--json"))
    assert (found["found"], found["masked"]) == (1, 0)
    sightings = [one for run in found["runs"] for one in run["sightings"]]
    assert [(one["kind"], one["line"]) for one in sightings] == [("github-token", 3)]
    said = _run(world, "--fix")
    assert "1 secret was found, 1 masked." in said
    assert secret not in said
    file.refresh_from_db()
    assert file.raw_content == "# Memory\n\nKey: [secret: github-token]\n"
    assert "0 secrets were found." in _run(world)
