"""An agent's tool asks to forget; only people decide what comes of it."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django_scopes import scope

from memoryweb.agents.models import Owner
from memoryweb.agents.owners import set_paused, system_owner
from memoryweb.audit.record import SYSTEM
from memoryweb.memory.forgetting import hiding
from memoryweb.memory.forgetting.finding import fact_mention
from memoryweb.memory.forgetting.hiding import Wish, hide, open_request
from memoryweb.memory.models import AuthorKind, Fact, ForgetRequest, LegalHold
from memoryweb.memory.models.writer import Memory, Place, Writer, write_transaction
from memoryweb.memory.writing.screening import mask_wish
from memoryweb.memory.writing.write import write
from memoryweb.runs import engine
from tests.api.callers import Callers
from tests.api.client import Api
from tests.forgetting.asking import WEIGHT, lived
from tests.forgetting.test_requests import say
from tests.soaking import first_in_gate
from tests.world import World

pytestmark = pytest.mark.django_db
CUSTOMER: dict[str, Any] = {"endUserId": "customer-1"}


def forget(world: World, caller: Api, status: int = 200, **body: Any) -> Any:
    answer = caller.post(f"/agents/{world.agent.pk}/tools/forget", body)
    assert answer.status_code == status, answer.content
    return answer.json()


def decide(world: World, caller: Api, made: Any, act: str, status: int = 200, **body: Any) -> Any:
    path = f"/memory/{world.agent.pk}/requests/{made['request']}/{act}"
    answer = caller.post(path, body)
    assert answer.status_code == status, answer.content
    return answer.json()


def listed(world: World, caller: Api, query: str = "") -> Any:
    return caller.get(f"/memory/{world.agent.pk}/requests{query}").json()["items"]


def remembers(world: World, owner: Owner | None, *lines: str) -> None:
    text = "# Memory\n\n" + "".join(f"- {line}\n" for line in lines)
    writer = Writer(AuthorKind.PERSON, user=world.alice)
    with write_transaction(world.team) as tx:
        write(tx, Place(world.agent, owner, "MEMORY.md"), text, writer=writer)


def test_the_tool_hides_what_its_words_mean(world: World, callers: Callers) -> None:
    fact = lived(world, world.customer)
    made = forget(world, callers.helpdesk, text="my weight", conversationId="talk", **CUSTOMER)
    assert made["hidden"] == [{"id": str(fact.pk), "text": WEIGHT, "where": "MEMORY.md"}]
    assert made["eraseAt"]
    again = forget(world, callers.helpdesk, text="Forget my weight!", **CUSTOMER)
    assert again["request"] == made["request"]


def test_the_tool_takes_the_ids_of_facts_and_of_candidates(world: World, callers: Callers) -> None:
    remembers(world, world.customer, *(f"The garden has a rose number {n}." for n in range(9)))
    offered = forget(world, callers.helpdesk, text="the garden", **CUSTOMER)
    assert (offered["hidden"], offered["eraseAt"]) == ([], None)
    ids = [one["id"] for one in offered["candidates"][:2]]
    made = forget(world, callers.helpdesk, ids=ids, **CUSTOMER)
    assert sorted(one["id"] for one in made["hidden"]) == sorted(ids)


def test_an_unknown_or_foreign_id_is_not_found(world: World, callers: Callers) -> None:
    theirs = lived(world, world.sender)
    for wanted in (str(theirs.pk), str(world.agent.pk), "t1", "none"):
        forget(world, callers.helpdesk, 404, ids=[wanted], **CUSTOMER)
    forget(world, callers.helpdesk, 400, **CUSTOMER)
    assert not ForgetRequest.objects.exists()


def test_a_model_that_is_told_to_forget_everything_hides_five_at_most(
    world: World, callers: Callers
) -> None:
    roses = [f"The garden has a rose number {n}." for n in range(8)]
    remembers(world, world.customer, *roses)
    assert not forget(world, callers.helpdesk, text="everything", **CUSTOMER)["hidden"]
    facts = list(world.agent.facts.filter(owner=world.customer))
    for fact in facts:
        forget(world, callers.helpdesk, ids=[str(fact.pk)], **CUSTOMER)
    for rose in roses:
        forget(world, callers.helpdesk, text=rose, **CUSTOMER)
    hidden = listed(world, callers.helpdesk, "?owner=api:customer-1&state=hidden")
    assert sum(len(one["hidden"]) for one in hidden) == 5
    assert world.agent.facts.filter(owner=world.customer).count() == 8


def test_a_program_lists_requests_without_what_they_hide(world: World, callers: Callers) -> None:
    lived(world, world.customer)
    forget(world, callers.helpdesk, text="my weight", **CUSTOMER)
    (one,) = listed(world, callers.helpdesk, "?owner=api:customer-1")
    assert [place["text"] for place in one["hidden"]] == [None]
    assert listed(world, callers.helpdesk, "?owner=shared") == []


def test_a_list_asks_as_much_for_many_requests_as_for_few(world: World, callers: Callers) -> None:
    remembers(world, world.bobs_memory, "I like tea.", "My cat is called Tom.", WEIGHT)
    counts = []
    for about in ("my weight", "my cat", "tea"):
        forget(world, callers.member, text=about)
        with CaptureQueriesContext(connection) as captured:
            assert listed(world, callers.member)
        counts.append(len(captured))
    assert len(set(counts)) == 1


def test_its_owner_undoes_keeps_and_erases(world: World, callers: Callers) -> None:
    lived(world, world.bobs_memory)
    made = forget(world, callers.member, text="my weight")
    (one,) = listed(world, callers.member)
    assert one["hidden"][0]["text"] == WEIGHT
    assert one["hidden"][0]["where"] == ["MEMORY.md", "memory/2026-03-01.md", "talk"]
    assert decide(world, callers.member, made, "undo")["state"] == "undone"
    assert decide(world, callers.member, made, "undo", 409)["code"] == "already_decided"
    made = forget(world, callers.member, text="my weight")
    assert decide(world, callers.member, made, "keep")["state"] == "kept"
    made = forget(world, callers.member, text="my weight")
    told = decide(world, callers.member, made, "erase")
    assert told["state"] in {"hidden", "erased"}
    assert told["decidedAt"]


def test_a_program_decides_nothing(world: World, callers: Callers) -> None:
    lived(world, world.customer)
    made = forget(world, callers.helpdesk, text="my weight", **CUSTOMER)
    for act in ("erase", "undo", "keep"):
        assert decide(world, callers.helpdesk, made, act, 403)["code"] == "person_required"
        decide(world, callers.admin, made, act, 404)


def test_candidates_are_picked_by_a_person(world: World, callers: Callers) -> None:
    roses = [f"The garden has a rose number {n}." for n in range(8)]
    remembers(world, world.bobs_memory, *roses)
    made = forget(world, callers.member, text="the garden")
    assert decide(world, callers.member, made, "erase", 409)["code"] == "nothing_picked"
    ids = [made["candidates"][0]["id"]]
    told = decide(world, callers.member, made, "erase", ids=ids)
    assert [one["id"] for one in told["hidden"]] == ids
    assert len(told["candidates"]) == 7


def test_a_legal_hold_keeps_what_is_hidden_from_being_erased(
    world: World, callers: Callers
) -> None:
    lived(world, world.bobs_memory)
    with write_transaction(world.team):
        LegalHold.objects.create(team=world.team, reason="A case.")
    made = forget(world, callers.member, text="my weight")
    assert made["hidden"]
    assert decide(world, callers.member, made, "erase", 409)["code"] == "legal_hold"
    assert decide(world, callers.member, made, "undo")["state"] == "undone"


def test_shared_memory_is_asked_for_and_an_admin_decides(world: World, callers: Callers) -> None:
    remembers(world, None, "The pool opens at nine.", "Tea is at five.")
    made = forget(world, callers.helpdesk, text="the pool", **CUSTOMER)
    assert (made["hidden"], len(made["candidates"]), made["eraseAt"]) == ([], 1, None)
    ids = [made["candidates"][0]["id"]]
    assert decide(world, callers.member, made, "erase", 403, ids=ids)["code"] == "may_not_forget"
    told = decide(world, callers.admin, made, "erase", ids=ids)
    assert [one["text"] for one in told["hidden"]] == ["The pool opens at nine."]


def test_only_an_admin_decides_about_memory_of_the_system(world: World, callers: Callers) -> None:
    with write_transaction(world.team) as tx:
        asked = Wish(
            Memory(world.agent, system_owner(world.team)), ForgetRequest.Via.TOOL, "the pool"
        )
        made = {"request": str(open_request(tx, asked).pk)}
    assert decide(world, callers.member, made, "keep", 403)["code"] == "may_not_forget"
    assert decide(world, callers.admin, made, "keep")["state"] == "kept"


def forgotten(world: World, caller: Api, status: int = 200, **body: Any) -> Any:
    answer = caller.post(f"/memory/{world.agent.pk}/forget", body)
    assert answer.status_code == status, answer.content
    return answer.json()


def test_a_dry_run_says_what_would_go_and_hides_nothing(world: World, callers: Callers) -> None:
    lived(world, world.customer)
    told = forgotten(world, callers.helpdesk, text="62 kilos", dryRun=True, **CUSTOMER)
    assert {one["kind"] for one in told["hidden"]} == {"fact", "line", "message"}
    assert told["request"] is None
    assert ForgetRequest.objects.count() == 0


def test_a_person_forgets_their_own_by_line_and_has_a_while_to_undo(
    world: World, callers: Callers
) -> None:
    fact = lived(world, world.bobs_memory)
    made = forgotten(world, callers.member, filename="MEMORY.md", lines=[3])
    assert fact.raw_text in {one["text"] for one in made["hidden"]}
    facts = callers.member.get(f"/memory/{world.agent.pk}/facts?owner=me").json()["items"]
    assert made["eraseAt"]
    decide(world, callers.member, made, "undo")
    assert len(facts) >= 1


def test_a_member_asks_to_forget_what_is_shared_and_an_admin_does(
    world: World, callers: Callers
) -> None:
    remembers(world, None, "The safe code is 4711.")
    asked = forgotten(world, callers.member, text="4711", owner="shared")
    assert (asked["hidden"], asked["eraseAt"]) == ([], None)
    assert [one["text"] for one in asked["candidates"]] == ["The safe code is 4711."]
    done = forgotten(world, callers.admin, text="4711", owner="shared")
    assert done["eraseAt"]


def test_more_than_five_statements_a_program_only_offers(world: World, callers: Callers) -> None:
    remembers(world, world.customer, *(f"Rose {n} stands by the gate." for n in range(10, 17)))
    made = forgotten(world, callers.helpdesk, text="by the gate", **CUSTOMER)
    assert made["hidden"] == []
    assert len(made["candidates"]) == 7


@pytest.mark.parametrize("body", [{}, {"text": "a", "ids": ["b"]}, {"filename": "MEMORY.md"}])
def test_what_to_forget_has_to_be_said_once(world: World, callers: Callers, body: Any) -> None:
    remembers(world, world.bobs_memory, "Tea.")
    forgotten(world, callers.member, 400, **body)


def test_a_receipt_has_figures_and_no_words(world: World, callers: Callers) -> None:
    lived(world, world.bobs_memory)
    made = forgotten(world, callers.member, text="62 kilos")
    decide(world, callers.member, made, "erase")
    list(engine.run_pending())
    [receipt] = callers.member.get(f"/memory/{world.agent.pk}/receipts?owner=me").json()["items"]
    assert (receipt["remaining"], receipt["request"]) == (0, made["request"])
    assert "kilos" not in str(receipt)


def test_an_owner_is_erased_unless_a_legal_hold_keeps_them(world: World, callers: Callers) -> None:
    lived(world, world.customer)
    path = f"/owners/{world.customer.pk}"
    with write_transaction(world.team) as tx:
        hold = hiding.make_hold(tx, by=world.alice, reason="Claim 7", owner=world.customer)
    refused = callers.admin.delete(path)
    assert (refused.status_code, refused.json()["code"]) == (409, "legal_hold")
    with write_transaction(world.team) as tx:
        hiding.end_hold(tx, hold)
    assert callers.admin.delete(path).status_code == 202
    list(engine.run_pending())
    assert not world.agent.files.filter(owner=world.customer).exists()


def test_a_program_reads_nothing_that_is_hidden_by_asking_again(
    world: World, callers: Callers
) -> None:
    lived(world, world.customer)
    forget(world, callers.helpdesk, text="my weight", **CUSTOMER)
    dry = forgotten(world, callers.helpdesk, text="weigh", dryRun=True, **CUSTOMER)
    again = forget(world, callers.helpdesk, text="my weight", **CUSTOMER)
    for answer in (dry, again):
        assert answer["hidden"]
        assert "kilos" not in str(answer)
    with scope(team=world.team):
        request, fact = ForgetRequest.objects.get(), Fact.objects.filter(owner=world.customer)
        one = fact.filter(raw_text=WEIGHT, file__isnull=False).get()
        with write_transaction(world.team) as tx:
            offered = open_request(
                tx, Wish(Memory(request.agent, request.owner), ForgetRequest.Via.TOOL, "x")
            )
            hide(tx, offered, (), candidates=[fact_mention(one)])
    seen = listed(world, callers.helpdesk, "?owner=api:customer-1")
    assert seen
    assert "kilos" not in str(seen)


PASSWORDS = [
    "Forget that my password is hunter2x.",
    "Forget my api key: q7Lm2Pz9Xw4Rt6Yb.",
    "忘掉我的密码 hunter2x",
    "私のパスワードはhunter2xです。",
    "Forget my PIN 4711x please",
    "Please forget my wifi password, it's hunter2x",
    "Vergiss, dass mein Passwort Sommer24x ist: Passwort: Sommer24x",
    "Forget that my password is correct horse hunter2x battery.",
    "Forget my password swordfish.",
    "Please forget my password, which is red swordfish.",
    "Vergiss, dass mein Passwort Swordfish ist.",
    "忘掉我的密码是swordfish",
    "私のパスワード「swordfish」を忘れて。",
    "Forget that my PIN is swordfish and my address.",
]


# Each text by one of the ways in the gate, by turns.
@pytest.mark.parametrize(
    ("said", "way"),
    first_in_gate(
        len(PASSWORDS),
        [
            (said, (["api", "tool", "paused"] * 2)[number % 3 + turn])
            for turn in range(3)
            for number, said in enumerate(PASSWORDS)
        ],
    ),
)
def test_a_request_keeps_no_password_in_its_words(
    world: World, callers: Callers, said: str, way: str
) -> None:
    remembers(world, world.bobs_memory, "I like tea.")
    if way == "api":
        callers.member.post(f"/memory/{world.agent.pk}/forget", {"text": said})
    elif way == "tool":
        forget(world, callers.helpdesk, text=said, **CUSTOMER)
    else:
        with write_transaction(world.team):
            set_paused(owner=world.bobs_memory, paused=True, by=SYSTEM)
        say(world, world.bobs_memory, said, talk="off")
    kept = " ".join(ForgetRequest.objects.values_list("raw_about", flat=True))
    secret = (
        "hunter2x",
        "q7Lm2Pz9Xw4Rt6Yb",
        "Sommer24x",
        "4711x",
        "swordfish",
        "Swordfish",
        "horse",
    )
    assert not any(one in kept for one in secret)


@pytest.mark.parametrize(
    "said",
    [
        *("Forget my password.", "Forget my password and my address.", "Vergiss mein Passwort."),
        *("Forget my password for the bank, please.", "忘掉我的密码。", "私のパスワードを忘れて。"),
    ],
)
def test_a_request_that_holds_no_password_stays_as_it_was_said(said: str) -> None:
    assert mask_wish(said) == said


@pytest.mark.parametrize(
    ("asked", "is_told"),
    [
        ("Please forget my weight.", True),
        ("Forget my weight and my address.", True),
        ("Please forget that I weigh 62 kilos.", False),
        ("Forget about our garden in Kent.", False),
        ("Bitte vergiss, dass ich 62 Kilo wiege.", False),
        ("忘掉我的体重", True),
    ],
)
def test_a_program_reads_what_was_asked_without_what_is_hidden(
    world: World, callers: Callers, asked: str, is_told: bool
) -> None:
    lived(world, world.customer)
    say(world, world.customer, asked)
    (one,) = listed(world, callers.helpdesk, "?owner=api:customer-1")
    assert one["about"] == (asked if is_told else "[forgotten]")


def test_a_person_and_who_may_read_again_read_what_was_asked(
    world: World, callers: Callers
) -> None:
    lived(world, world.bobs_memory)
    asked = "Please forget that I weigh 62 kilos."
    say(world, world.bobs_memory, asked)
    (one,) = listed(world, callers.member)
    assert one["about"] == asked
