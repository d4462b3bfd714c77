"""Statements through the API: read by who may, changed by people."""

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django_scopes import scope

from memoryweb.accounts import tokens
from memoryweb.accounts.teams import system_team
from memoryweb.agents.models import GLOBAL_AGENT_ID, Agent
from memoryweb.agents.owners import person_owner
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.conversations.messages import NewMessage, add_messages
from memoryweb.memory.forgetting.hiding import Wish, hide, open_request
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.models import AuthorKind, Evidence, Fact, ForgetRequest, Message, Target, Vote
from memoryweb.memory.models.forgetting import Mention
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.writing.write import NewLine, append, write
from tests.api.callers import Callers, narrow
from tests.api.client import Api
from tests.facts.making import made
from tests.walls.api_stage import contradicted
from tests.world import World

SAID = "We moved to Leeds."


def held(world: World, text: str = SAID, *, before: str = "", after: str = "") -> Fact:
    """A statement of the customer's, with the message it stands on."""
    with write_transaction(world.team) as tx:
        talk = add_messages(
            tx,
            agent=world.agent,
            owner=world.customer,
            conversation_id="c-1",
            messages=[NewMessage("user", f"{before}{text}{after}", "m1", name="Inês")],
        ).conversation
        origin = Origin((Source(message_id=talk.messages.get().pk),))
        place = Place(world.agent, world.customer, "MEMORY.md")
        append(tx, place, [NewLine(f"- {text}", origin)], writer=Writer(AuthorKind.DREAM))
    with scope(team=world.team):
        return world.agent.facts.get(owner=world.customer)


def test_a_fact_tells_its_fields_its_evidence_and_its_trust(
    world: World, callers: Callers, memory: str
) -> None:
    fact = held(world)
    found = callers.helpdesk.get(f"{memory}/facts/{fact.pk}?owner=api:customer-1").json()
    told = ("text", "state", "scope", "owner", "filename", "lineNumber", "trust", "band")
    assert [found[name] for name in told] == [
        *(SAID, "active", "PERSONAL", "api:helpdesk/customer-1"),
        *("MEMORY.md", 1, 0.5, "medium"),
    ]
    [ground] = found["evidence"]
    assert (ground["text"], ground["name"], ground["messageId"]) == (SAID, "Inês", "m1")
    assert [one["id"] for one in found["history"]] == [str(fact.pk)]


def test_evidence_is_the_sentence_of_its_message(
    world: World, callers: Callers, memory: str
) -> None:
    fact = held(world, SAID, before="Good morning! ", after=" How are you?")
    found = callers.helpdesk.get(f"{memory}/facts/{fact.pk}?owner=api:customer-1").json()
    assert [one["text"] for one in found["evidence"]] == [SAID]


def test_evidence_leaves_out_what_is_to_be_forgotten(
    world: World, callers: Callers, memory: str
) -> None:
    weight = "I weigh 62 kilos."
    fact = held(world, "Their house is in Leeds now.", before=f"{weight} In other words: ")
    with write_transaction(world.team) as tx:
        Evidence.objects.update(first=None, last=None)  # as where it is in other words
        message = Message.objects.get()
        request = open_request(
            tx, Wish(Memory(fact.agent, fact.owner), ForgetRequest.Via.API, "weight")
        )
        meant = Mention(Target.Kind.MESSAGE, weight, message=message, first=0, last=len(weight))
        hide(tx, request, [meant])
    found = callers.helpdesk.get(f"{memory}/facts/{fact.pk}?owner=api:customer-1").json()
    [text] = [one["text"] for one in found["evidence"]]
    assert text == "[forgotten]"


def test_the_history_of_a_fact_comes_in_pages(world: World, callers: Callers, memory: str) -> None:
    facts = [
        made(world, f"Tea is served at {n}.", subject="tea", attribute="time", raw_value=str(n))
        for n in range(5)
    ]
    path, seen, cursor = f"{memory}/facts/{facts[0].pk}", [], ""
    while cursor is not None:
        found = callers.viewer.get(f"{path}?limit=2&cursor={cursor}").json()
        assert len(found["history"]) <= 2
        seen += [one["id"] for one in found["history"]]
        cursor = found["historyCursor"]
    assert sorted(seen) == sorted(str(one.pk) for one in facts)


def test_personal_facts_are_listed_for_their_owner_alone(
    world: World, callers: Callers, memory: str
) -> None:
    held(world)
    mine = made(world, "Bob likes tea.", owner=world.bobs_memory)
    for caller, expected in (
        (callers.member, {str(mine.pk)}),
        (callers.admin, set()),
        (callers.auditor, set()),
    ):
        assert {one["id"] for one in caller.get(f"{memory}/facts").json()["items"]} == expected
    assert callers.admin.get(f"{memory}/facts/{mine.pk}").status_code == 404
    assert callers.helpdesk.get(f"{memory}/facts").json()["code"] == "owner_required"


def test_facts_are_filtered_and_paged(world: World, callers: Callers, memory: str) -> None:
    tea = made(world, "Tea is served at five.", kind="event", subject="tea")
    made(world, "Coffee is served at six.", state=Fact.State.RETIRED)
    for n in range(5):
        made(world, f"Room {n} has a view.", kind="preference")
    with scope(team=world.team):
        Vote.objects.create(team=world.team, fact=tea, user=world.alice, helpful=True)
    for asked in ("q=tea", "kind=event", "subject=tea", "trust=high", "atLeast=0.55"):
        [found] = callers.viewer.get(f"{memory}/facts?{asked}").json()["items"]
        assert (found["id"], found["helpful"]) == (str(tea.pk), 1), asked
    [gone] = callers.viewer.get(f"{memory}/facts?state=retired&scope=TEAM").json()["items"]
    assert gone["text"] == "Coffee is served at six."
    seen, cursor = [], ""
    while cursor is not None:
        page = callers.viewer.get(f"{memory}/facts?limit=3&cursor={cursor}").json()
        seen += [one["id"] for one in page["items"]]
        cursor = page["cursor"]
    assert (len(seen), len(set(seen))) == (7, 7)


def test_what_holds_for_all_teams_is_read_and_not_decided(
    world: World, callers: Callers, memory: str
) -> None:
    with write_transaction(system_team()) as tx:
        place = Place(Agent.objects.get(pk=GLOBAL_AGENT_ID), None, "KNOWLEDGE.md")
        append(tx, place, [NewLine("- The port opens at six.")], writer=Writer(AuthorKind.SYSTEM))
    held(world)
    [found] = callers.helpdesk.get(f"{memory}/facts?owner=shared").json()["items"]
    assert (found["text"], found["scope"], found["owner"]) == (
        *("The port opens at six.", "GLOBAL", "global"),
    )
    assert callers.viewer.get(f"{memory}/facts?scope=GLOBAL").json()["items"] == [found]
    read = callers.viewer.get(f"{memory}/facts/{found['id']}").json()
    assert (read["filename"], read["lineNumber"]) == ("KNOWLEDGE.md", 1)
    assert [one["id"] for one in read["history"]] == [found["id"]]
    for verb in ("confirm", "retire"):
        assert callers.admin.post(f"{memory}/facts/{found['id']}/{verb}").status_code == 404
    own = callers.helpdesk.get(f"{memory}/facts?owner=api:customer-1").json()["items"]
    assert [one["text"] for one in own] == [SAID]


def test_an_unknown_filter_value_is_refused(callers: Callers, memory: str) -> None:
    for asked in ("state=gone", "kind=rumour", "trust=total", "atLeast=2"):
        assert callers.viewer.get(f"{memory}/facts?{asked}").status_code == 400, asked


def test_a_program_is_given_nothing_that_waits_or_was_taken_back(
    world: World, callers: Callers, memory: str
) -> None:
    waits = made(world, "Send all mail to me.", state=Fact.State.PENDING)
    now = timezone.now()
    gone = made(world, "Send it now.", state=Fact.State.RETIRED, corrected_at=now)
    assert callers.helpdesk.get(f"{memory}/facts?owner=shared").json()["items"] == []
    for fact in (waits, gone):
        assert callers.helpdesk.get(f"{memory}/facts/{fact.pk}?owner=shared").status_code == 404
        assert callers.viewer.get(f"{memory}/facts/{fact.pk}").json()["state"] == fact.state


def test_a_person_confirms_edits_retires_and_restores(
    world: World, callers: Callers, memory: str
) -> None:
    fact = written(world)
    path = f"{memory}/facts/{fact.pk}"
    assert callers.member.post(f"{path}/confirm").json()["trust"] == 0.7
    assert callers.member.post(f"{path}/feedback", {"helpful": True}).json()["trust"] == 0.8
    assert callers.member.post(f"{path}/retire").json()["why"] == "not_true"
    assert callers.member.post(f"{path}/restore").json()["filename"] == "MEMORY.md"
    edited = callers.member.post(f"{path}/edit", {"text": "Tea is at four."}).json()
    assert (edited["text"], edited["state"], edited["helpful"]) == ("Tea is at four.", "active", 0)
    assert {one["text"] for one in edited["history"]} == {"Tea is at four.", fact.raw_text}


def test_what_is_past_is_not_confirmed(world: World, callers: Callers, memory: str) -> None:
    fact = made(world, "Tea is at five.", state=Fact.State.RETIRED)
    refused = callers.member.post(f"{memory}/facts/{fact.pk}/confirm")
    assert (refused.status_code, refused.json()["code"]) == (409, "gone")


def test_a_token_that_does_not_act_as_its_person_decides_nothing(
    world: World, callers: Callers, memory: str
) -> None:
    fact = written(world)
    secret = tokens.issue(
        team=world.team, by=SYSTEM, user=world.bob, name="Script", scopes=tokens.PERSONAL_SCOPES
    )[1]
    before = Fact.objects.filter(pk=fact.pk).values().get()
    for verb, body in (
        *(("confirm", None), ("retire", None), ("restore", None)),
        *(("edit", {"text": "Tea is at four."}), ("feedback", {"helpful": True})),
    ):
        refused = Api(secret).post(f"{memory}/facts/{fact.pk}/{verb}", body)
        assert (refused.status_code, refused.json()["code"]) == (403, "person_required"), verb
    assert Fact.objects.filter(pk=fact.pk).values().get() == before


def test_deciding_takes_its_scope_and_for_shared_facts_a_role(
    world: World, callers: Callers, memory: str
) -> None:
    fact = written(world)
    mine = made(world, "Vera likes tea.", owner=person_owner(world.team, world.vera))
    _token, narrowed = narrow(world.team, ["memory:write"], user=world.bob)
    assert narrowed.post(f"{memory}/facts/{fact.pk}/confirm").json()["code"] == "scope_missing"
    assert callers.viewer.post(f"{memory}/facts/{fact.pk}/confirm").status_code == 403
    assert callers.viewer.post(f"{memory}/facts/{mine.pk}/confirm").status_code == 200
    assert callers.admin.post(f"{memory}/facts/{mine.pk}/confirm").status_code == 404


def test_a_contradiction_is_listed_resolved_and_undone(
    world: World, callers: Callers, memory: str
) -> None:
    path = f"{memory}/contradictions/{contradicted(world.home, None)}"
    [found] = callers.viewer.get(f"{memory}/facts/contradictions").json()["items"]
    assert (found["a"]["value"], [one["value"] for one in found["b"]]) == ("Porto", ["Lisbon"])
    done = callers.member.post(f"{path}/resolve", {"resolution": "KEEP_B"}).json()
    assert (done["state"], done["resolution"]) == ("resolved", "KEEP_B")
    assert callers.viewer.get(f"{memory}/facts/contradictions").json()["items"] == []
    again = callers.member.post(f"{path}/resolve", {"resolution": "KEEP_A"})
    assert (again.status_code, again.json()["code"]) == (409, "decided")
    assert callers.member.post(f"{path}/undo").json()["state"] == "open"
    refused = callers.member.post(f"{path}/resolve", {"resolution": "MERGE"})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "content")
    for asked in ({"resolution": "KEEP_C"}, {}):
        assert callers.member.post(f"{path}/resolve", asked).status_code == 400


def written(world: World) -> Fact:
    """A shared statement that a dream wrote."""
    with write_transaction(world.team) as tx:
        place = Place(world.agent, None, "MEMORY.md")
        writer = Writer(AuthorKind.DREAM, is_vouched=True)
        append(tx, place, [NewLine("- Tea is served at five.", Origin())], writer=writer)
    with scope(team=world.team):
        return world.agent.facts.get(owner=None)


def test_many_contradictions_take_as_many_statements_as_few(
    world: World, callers: Callers, memory: str
) -> None:
    counts = []
    for who in ("Marta", "Jonas", "Elin"):
        contradicted(world.home, None, who)
        callers.viewer.get(f"{memory}/facts/contradictions")
        with CaptureQueriesContext(connection) as queries:
            found = callers.viewer.get(f"{memory}/facts/contradictions").json()["items"]
        counts.append(len(queries))
    assert len(found) == 3
    assert counts[0] == counts[-1]


def test_a_fact_tells_which_words_of_it_have_ended(
    world: World, callers: Callers, memory: str
) -> None:
    fact = held(world, "We moved to Leeds and keep bees.")
    mark = "<!-- until 2026-09-28: moved to Leeds -->"
    with write_transaction(world.team) as tx:
        place = Place(world.agent, world.customer, "MEMORY.md")
        write(tx, place, f"- {fact.raw_text} {mark}\n", writer=Writer(AuthorKind.DREAM))
    address = f"{memory}/facts/{fact.pk}"
    query = "?owner=api:customer-1"
    found = callers.helpdesk.get(address + query).json()
    assert found["text"] == "We moved to Leeds and keep bees."
    assert found["ended"] == [{"words": "moved to Leeds", "until": "2026-09-28"}]
    path = memory.replace("/memory/", "/agents/")
    asked = f"{path}/workspace/search?q=bees&owner=api:customer-1"
    [hit] = callers.helpdesk.get(asked).json()["hits"][:1]
    assert hit["ended"] == found["ended"]
    assert hit["snippet"].endswith("(until 2026-09-28: moved to Leeds)")
