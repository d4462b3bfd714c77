"""A single-use link to My memory: one owner, one browser, half an hour, nothing of the team."""

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_scopes import scope

from memoryweb.accounts.integrations import revoke_integration
from memoryweb.agents.models import OneTimeCode, Owner
from memoryweb.agents.one_time_codes import Purpose, issue
from memoryweb.audit.models import Event
from memoryweb.audit.record import SYSTEM
from memoryweb.memory import forgetting
from memoryweb.memory.models import Fact, File, ForgetRequest, Revision
from memoryweb.memory.models.writer import write_transaction
from memoryweb.runs import engine
from tests.walls.api_stage import asked_to_forget
from tests.web.pages import actions, text, url
from tests.web.stage import CUSTOMERS, NOTE, PERSONAL, SHARED, Stage
from tests.world import confirm_address

ACTS = (
    *("fact_confirm", "fact_edit", "fact_forget", "fact_until", "line_edit", "line_not_true"),
    *(
        "undo",
        "pause",
        "resume",
        "export",
        "bring_back",
        "keep",
        "erase",
        "forget",
        "forget_all",
        "answer",
    ),
)
OVER = "visit has ended"


def enter(client: Client, code: str) -> HttpResponse:
    return client.post(reverse("visit"), {"code": code})  # type: ignore[return-value]


def entrance(stage: Stage, owner: Owner | None = None) -> str:
    made = issue(
        owner=owner or stage.world.customer,
        integration=stage.world.integration,
        purpose=Purpose.VISIT,
        by=SYSTEM,
    )
    return made.secret


def opened(stage: Stage, owner: Owner | None = None) -> Client:
    client = Client()
    enter(client, entrance(stage, owner))
    return client


def page(client: Client, query: str = "") -> str:
    with scope():
        return text(client.get(reverse("visit_page") + query))


def on_fact(act: str, owner: Owner) -> str:
    with scope(team=owner.team):
        return reverse(f"visit_fact_{act}", args=[Fact.objects.living().get(owner=owner).pk])


def on_line(act: str, file: File) -> str:
    lines = file.raw_content.split("\n")
    at = next(n for n, line in enumerate(lines, 1) if line.startswith("- "))
    return reverse(f"visit_line_{act}", args=[file.pk, at, at, file.sha256])


def note(stage: Stage) -> File:
    return File.objects.get(owner=stage.world.customer, path=NOTE)


def address_of(stage: Stage, act: str) -> str:
    kind, _of, name = act.partition("_")
    if kind == "fact":
        return on_fact(name, stage.world.customer)
    return on_line(name, note(stage)) if kind == "line" else reverse(f"visit_{act}")


def test_a_look_at_the_link_uses_nothing_up(stage: Stage) -> None:
    entrance(stage)
    for _turn in range(3):
        answer = Client().get(reverse("visit"))
        assert answer.status_code == 200
        assert "Open my memory" in text(answer)
    assert OneTimeCode.objects.get().used_at is None


def test_the_whole_link_may_be_pasted(stage: Stage) -> None:
    pasted = f" https://memory.example{reverse('visit')}#{entrance(stage)} "
    assert enter(Client(), pasted).status_code == 302


@pytest.mark.parametrize("pasted", ["", "  ", "x" * 2001, "a\0b"])
def test_what_holds_no_code_is_asked_for_again(stage: Stage, pasted: str) -> None:
    answer = enter(Client(), pasted)
    assert answer.status_code == 422
    assert "Open my memory" in text(answer)


def test_the_button_opens_the_owners_sentences(stage: Stage) -> None:
    shown = page(opened(stage))
    assert CUSTOMERS in shown
    assert PERSONAL not in shown
    assert SHARED not in shown


def test_the_link_opens_once(stage: Stage) -> None:
    code = entrance(stage)
    assert enter(Client(), code).status_code == 302
    again = enter(Client(), code)
    assert again.status_code == 404
    assert "memoryweb_visit" not in again.cookies


def test_every_refused_link_reads_the_same(stage: Stage) -> None:
    used, old = entrance(stage), entrance(stage, stage.world.sender)
    enter(Client(), used)
    OneTimeCode.objects.filter(owner=stage.world.sender).update(expires_at=timezone.now())
    assert len({enter(Client(), code).content for code in (used, old, "none")}) == 1


def test_another_browser_sees_nothing(stage: Stage) -> None:
    opened(stage)
    answer = Client().get(reverse("visit_page"))
    assert answer.status_code == 404
    assert OVER in text(answer)


def test_a_forged_cookie_opens_nothing(stage: Stage) -> None:
    client = opened(stage)
    real = client.cookies["memoryweb_visit"].value
    forged = (str(OneTimeCode.objects.get().pk), real[:-2] + "xx", "", "a:b:c")
    for value in forged:
        client.cookies["memoryweb_visit"] = value
        assert client.get(reverse("visit_page")).status_code == 404


def test_the_cookie_is_for_the_server_and_these_pages_alone(stage: Stage) -> None:
    cookie = opened(stage).cookies["memoryweb_visit"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert cookie["path"] == reverse("visit_page")
    assert cookie["max-age"] == 1800


def test_the_pages_are_kept_nowhere_and_tell_no_address(stage: Stage) -> None:
    client = opened(stage)
    for answer in (
        client.get(reverse("visit")),
        client.get(reverse("visit_page")),
        Client().get(reverse("visit_page")),
    ):
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert "noindex" in answer.headers["X-Robots-Tag"]


def test_a_visit_is_no_sign_in(stage: Stage) -> None:
    client = opened(stage)
    for name in ("last_night", "mine", "agents", "owners"):
        answer = client.get(url(stage.world.team, name))
        assert answer.status_code == 302
        assert answer.headers["Location"].startswith(reverse("account_login"))
    assert "/t/harbour" not in page(client)


def test_who_visits_undoes_what_they_asked_to_forget(stage: Stage) -> None:
    asked_to_forget(stage.world.home, stage.world.customer)
    request = ForgetRequest.objects.get()
    client = opened(stage)
    assert "The roof is red." in page(client)
    client.post(reverse("visit_bring_back"), {"request": str(request.pk)})
    request.refresh_from_db()
    assert request.state == ForgetRequest.State.UNDONE
    theirs = ForgetRequest.objects.get(
        pk=asked_to_forget(stage.world.home, stage.world.bobs_memory)
    )
    answer = client.post(reverse("visit_bring_back"), {"request": str(theirs.pk)})
    assert answer.status_code == 404


def test_after_half_an_hour_it_is_over(stage: Stage) -> None:
    client = opened(stage)
    OneTimeCode.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert OVER in page(client)
    for act in ACTS:
        assert client.post(address_of(stage, act)).status_code == 404


def test_a_revoked_integration_ends_it(stage: Stage) -> None:
    client = opened(stage)
    revoke_integration(integration=stage.world.integration, by=SYSTEM)
    assert OVER in page(client)


def test_leaving_ends_it_on_the_server(stage: Stage) -> None:
    client = opened(stage)
    cookie = client.cookies["memoryweb_visit"].value
    assert OVER in text(client.post(reverse("visit_leave")))
    client.cookies["memoryweb_visit"] = cookie
    assert OVER in page(client)
    assert actions(stage.world.team)[-2:] == ["visit.opened", "visit.closed"]


def test_every_act_needs_the_token_of_its_form(stage: Stage) -> None:
    code = entrance(stage)
    client = Client(enforce_csrf_checks=True)
    assert enter(client, code).status_code == 403
    client.get(reverse("visit"))
    token = client.cookies["csrftoken"].value
    said = {"code": code, "csrfmiddlewaretoken": token}
    assert client.post(reverse("visit"), said).status_code == 302
    for act in (*ACTS, "leave"):
        assert client.post(address_of(stage, act)).status_code == 403
    assert CUSTOMERS in page(client)


@pytest.mark.parametrize("act", [*ACTS, "leave"])
def test_an_act_rejects_get(stage: Stage, act: str) -> None:
    assert opened(stage).get(address_of(stage, act)).status_code == 405


def test_an_edit_is_the_owners_word(stage: Stage) -> None:
    said = {"text": "Jonas lives in Linz."}
    assert opened(stage).post(address_of(stage, "fact_edit"), said).status_code == 302
    made = Revision.objects.filter(file__owner=stage.world.customer).latest("created_at")
    assert "- Jonas lives in Linz.\n" in made.raw_text
    assert (made.author_kind, made.source, made.user) == ("person", "owner", None)
    event = Event.objects.filter(team_id=stage.world.team.pk).latest("seq")
    assert (event.action, event.actor_role) == ("fact.edited", "visitor")
    assert event.on_behalf_of == stage.world.customer.pk


def test_each_act_is_undone_where_it_was_done(stage: Stage) -> None:
    client, headers = opened(stage), {"HX-Request": "true"}
    for act in ("fact_confirm", "fact_not_true", "fact_forget", "line_not_true", "line_forget"):
        told = text(client.post(address_of(stage, act), headers=headers))
        done = told.partition('class="about done"')[2]
        undo = re.findall(r'hx-post="([^"]*)"', done)[0].replace("&amp;", "&")
        assert client.post(undo).status_code == 302, act
        assert CUSTOMERS in page(client), act
        assert CUSTOMERS in page(client, "?kind=notes"), act
    assert not ForgetRequest.objects.filter(state=ForgetRequest.State.HIDDEN).exists()


def test_everything_is_forgotten_and_the_link_opens_nothing_more(stage: Stage) -> None:
    client, other = opened(stage), opened(stage)
    assert "Forget everything" in page(client)
    assert "being erased" in text(client.post(reverse("visit_forget_all")))
    assert OVER in page(client)
    assert OVER in page(other)
    list(engine.run_pending())
    with scope(team=stage.world.team):
        owner = Owner.objects.get(pk=stage.world.customer.pk)
        assert owner.external_id.startswith("erased-")
        for model in (Fact, File):
            assert not model.objects.filter(owner=owner).exists()
            assert model.objects.filter(owner=stage.world.bobs_memory).exists()


def test_under_a_legal_hold_nothing_is_forgotten(stage: Stage) -> None:
    client = opened(stage)
    with write_transaction(stage.world.team) as tx:
        forgetting.make_hold(tx, by=stage.world.alice, reason="A court asks.")
    client.post(reverse("visit_forget_all"))
    assert "legal hold" in page(client)
    assert not ForgetRequest.objects.exists()


def test_a_new_link_goes_to_the_confirmed_address_alone(stage: Stage) -> None:
    client = opened(stage)
    assert client.post(reverse("visit_new_link")).status_code == 404
    assert "Mail me a new link" not in page(client)
    confirm_address(stage.world, stage.world.customer, "c@harbour.example")
    assert "Mail me a new link" in page(client)
    told = text(client.post(reverse("visit_new_link"), follow=True))
    assert "The link was mailed." in told
    assert "c@harbour" not in told
    [sent] = mail.outbox
    assert sent.to == ["c@harbour.example"]
    link = re.findall(r"http://testserver\S+", str(sent.body))[0]
    assert CUSTOMERS in text(Client().post(reverse("visit"), {"code": link}, follow=True))
    assert OVER not in page(client)


def test_a_sentence_tells_where_it_came_from(stage: Stage) -> None:
    client = opened(stage)
    fact = Fact.objects.living().get(owner=stage.world.customer)
    address = reverse("visit_statement", args=[fact.pk])
    assert address in page(client)
    told = text(client.get(address))
    assert f'<blockquote class="quote">{CUSTOMERS}' in told
    assert "not used in the last 90 days" in told
    client.post(reverse("visit_fact_until", args=[fact.pk]), {"day": "2099-12-31"})
    assert "until 31 Dec 2099" in page(client)
    theirs = Fact.objects.living().get(owner=stage.world.bobs_memory)
    assert client.get(reverse("visit_statement", args=[theirs.pk])).status_code == 404


def test_what_looks_like_a_password_is_asked_about(stage: Stage) -> None:
    client, said = opened(stage), {"text": "The Wi-Fi password: tulip-Mango-88-river"}
    address = address_of(stage, "fact_edit")
    asked = client.post(address, said)
    assert asked.status_code == 422
    assert "Is this a password?" in text(asked)
    assert client.post(address, said | {"no_secrets": "on"}).status_code == 302
    assert "tulip-Mango" in page(client)


def test_pausing_is_for_this_owner(stage: Stage) -> None:
    client = opened(stage)
    client.post(reverse("visit_pause"))
    assert [o.pk for o in Owner.objects.filter(keeping=False, using=False)] == [
        stage.world.customer.pk
    ]
    client.post(reverse("visit_resume"))
    assert not Owner.objects.filter(keeping=False, using=False).exists()


def test_nothing_of_others_can_be_named(stage: Stage) -> None:
    client = opened(stage)
    for owner in (stage.world.bobs_memory, None, stage.world.twin.customer):
        for file in File.objects.filter(owner=owner, deleted_at=None)[:2]:
            for act in ("edit", "not_true"):
                named = reverse(f"visit_line_{act}", args=[file.pk, 3, 3, file.sha256])
                assert client.post(named, {"text": "Mine now."}).status_code == 404
            undo = f"{reverse('visit_undo')}?undo={file.pk}.{file.revision}"
            assert client.post(undo).status_code == 404
        for fact in Fact.objects.filter(owner=owner)[:2]:
            for act in ("edit", "forget", "confirm"):
                named = reverse(f"visit_fact_{act}", args=[fact.pk])
                assert client.post(named, {"text": "Mine now."}).status_code == 404
    assert not Revision.objects.filter(raw_text__contains="Mine now.").exists()


def test_the_export_holds_this_owner_alone(stage: Stage) -> None:
    answer = opened(stage).post(reverse("visit_export"))
    whole = b"".join(answer.streaming_content)  # type: ignore[attr-defined]
    assert answer.headers["Cache-Control"] == "no-store"
    assert whole[:2] == b"PK"
    assert "personal.exported" in actions(stage.world.team)


def test_each_step_is_an_event_without_text(stage: Stage) -> None:
    client = opened(stage)
    client.post(address_of(stage, "fact_edit"), {"text": "Jonas lives in Linz."})
    events = Event.objects.filter(team_id=stage.world.team.pk, actor_role="visitor")
    assert {event.action for event in events} == {
        "visit.opened",
        "file.written",
        "fact.changed",
        "fact.edited",
    }
    assert all("Linz" not in bytes(event.canonical).decode() for event in events)


def test_the_audit_page_says_who_came_by_a_link(stage: Stage, audrey: Client) -> None:
    opened(stage)
    page = text(audrey.get(url(stage.world.team, "audit")))
    assert "Someone with a link to My memory" in page
