"""Nobody reads of another person, on whatever page (the walls stand in tests/walls)."""

import pytest
from django.test import Client

from tests.web.pages import text, url
from tests.web.stage import CUSTOMERS, NOTE, PERSONAL, Stage
from tests.world import signed_in

OF_AN_AGENT = ("agents_files", "agents_dreams", "agents_conversations", "agents_settings")
OF_A_TEAM = ("tonight", "agents", "review", "mine", "settings", "owners", "audit")
OF_A_FILE = ("agents_file", "agents_revisions", "agents_compare", "agents_edit")


@pytest.mark.parametrize("who", ["admin", "member", "viewer"])
def test_no_page_shows_another_owners_text(stage: Stage, who: str) -> None:
    client = signed_in(stage.world.people[who])
    hidden = [CUSTOMERS] if who == "member" else [CUSTOMERS, PERSONAL]
    shown = [
        address
        for address in _addresses(stage)
        if any(words in text(client.get(address)) for words in hidden)
    ]
    assert shown == []


def test_what_is_ones_own_is_shown(stage: Stage, bob: Client) -> None:
    """Or the test above would pass on pages that show nothing."""
    shown = [a for a in _addresses(stage) if PERSONAL in text(bob.get(a))]
    assert len(shown) >= 5


def _addresses(stage: Stage) -> list[str]:
    team, agent = stage.world.team, stage.world.agent
    found = [url(team, name) for name in OF_A_TEAM]
    found += [url(team, name, agent.pk) for name in OF_AN_AGENT]
    for owner in ("me", stage.world.bobs_memory.pk, stage.world.customer.pk):
        query = f"?owner={owner}"
        found.append(url(team, "agents_files", agent.pk, query=query))
        found.append(url(team, "agents_why", agent.pk, NOTE, 3, query=query))
        found += [
            url(team, name, agent.pk, path, query=query)
            for path in ("MEMORY.md", "DREAMS.md", NOTE)
            for name in OF_A_FILE
        ]
    runs = (stage.shared_run, stage.bobs_run, stage.customers_run)
    found += [url(team, "agents_run", run.pk) for run in runs]
    talks = (stage.shared_talk, stage.bobs_talk, stage.customers_talk)
    found += [url(team, "agents_conversation", agent.pk, talk.pk) for talk in talks]
    found += [url(team, "review_detail", p.pk) for p in (stage.proposal, stage.bobs_proposal)]
    return found
