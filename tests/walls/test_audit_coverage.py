"""Every act of the domain and its event: both or neither, and the chain holds after all of them."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError
from django.db.models import Q
from django.utils import timezone

from memoryweb.accounts import integrations, invitations, members, people, signins, teams, tokens
from memoryweb.accounts.models import Invitation, Membership, Token, User
from memoryweb.accounts.permissions import Role, Scope
from memoryweb.agents import one_time_codes
from memoryweb.agents.break_glass import open_glass
from memoryweb.agents.exceptions import CodeRefused
from memoryweb.agents.models import Agent, OneTimeCode
from memoryweb.agents.one_time_codes import Purpose
from memoryweb.agents.pausing import set_paused
from memoryweb.agents.readers import Reader
from memoryweb.audit.actions import ACTIONS
from memoryweb.audit.models import Event
from memoryweb.audit.record import SYSTEM
from memoryweb.audit.verify import verify
from memoryweb.dreaming import schedule
from memoryweb.dreaming.models import Report
from memoryweb.extraction import requests
from memoryweb.memory import context, files, injecting, proposals, releasing
from memoryweb.memory.agents import archive_agent, change_agent, create_agent, restore_agent
from memoryweb.memory.arranging import arrange
from memoryweb.memory.exceptions import SecretRefused, WrongValue
from memoryweb.memory.files import NewLine, Place, Writer
from memoryweb.memory.marking import decisions as mark_decisions
from memoryweb.memory.messages import NewMessage, add_messages
from memoryweb.memory.provenance import Kind, Source
from memoryweb.memory.reverting import revert
from memoryweb.memory.secrets import held
from memoryweb.memory.secrets.screening import Likely, fingerprint
from memoryweb.memory.snapshots.doors import apply, export, preview
from memoryweb.memory.snapshots.uploads import drop, keep
from memoryweb.memory.unit import Unit, unit
from memoryweb.runs import engine
from memoryweb.runs.models import Run
from memoryweb.workspace.marked import print_of
from memoryweb.workspace.models import AuthorKind, File, HeldSecret, Proposal
from memoryweb.workspace.origins import Origin
from tests.accounts.refusal import refusing_events
from tests.walls.web_calls import everything, undone
from tests.walls.web_stage import MARKED_LINE, restored_stage
from tests.workspace.snapshot.archives import of
from tests.world import World, personal_token

Act = Callable[[World], object]
ALL: frozenset[str] = frozenset()
# Acts of a request or a worker, which their own walls walk through.
ELSEWHERE = {
    *("access.denied", "personal.read", "personal.exported", "run.finished"),
    *("agent.removed", "team.removed", "secret.masked", "secret.expired", "search.reindexed"),
}


def _invitation(world: World) -> Invitation:
    return invitations.open_of(world.team).latest("created_at")


def _own_act(action: str) -> Act:
    return lambda world: signins.record_act(world.bob, action)


def _in_unit(act: Callable[[Unit, World], object]) -> Act:
    def inner(world: World) -> None:
        with unit(world.team) as work:
            act(work, world)

    return inner


def _file(world: World, path: str = "MEMORY.md") -> File:
    return File.objects.get(agent=world.agent, owner=None, path=path)


def _place(world: World, path: str = "MEMORY.md") -> Place:
    return Place(world.agent, world.customer, path)


def _marked(world: World) -> File:
    return _file(world, "structured/hotels.md")


def _proposal(world: World) -> Proposal:
    return Proposal.objects.get(file=_file(world), state=Proposal.State.PENDING)


def _membership(world: World) -> Membership:
    return Membership.objects.get(team=world.team, user=world.bob)


def _token(world: World) -> Token:
    return Token.objects.get(team=world.team, user=world.vera)


def _user(world: World) -> User:
    return User.objects.get(pk=world.bob.pk)


def _unused(world: World) -> None:
    Token.objects.update(last_used_at=None)
    tokens.mark_used(_token(world), SYSTEM)


def _leak(work: Unit, world: World) -> None:
    files.write(work, _place(world), f"- {tokens.generate()}\n", writer=PERSON)


def _refused_secret(world: World) -> None:
    with pytest.raises(SecretRefused):
        _in_unit(_leak)(world)


def _released(work: Unit, world: World) -> File:
    file = files.write(work, _place(world, "rules.md"), "Be kind.\n", writer=PERSON).file
    releasing.keep(work, file, 1, 1, expected=file.sha256)
    releasing.release(work, file, 1, 1, expected=file.sha256)
    return file


def _kept_again(work: Unit, world: World) -> None:
    file = _released(work, world)
    releasing.keep(work, file, 1, 1, expected=file.sha256)


def _imported(work: Unit, world: World) -> None:
    token = preview(world.agent, None, SNAPSHOT).token
    apply(work, world.agent, None, SNAPSHOT, token, by=PERSON)


def _hold(work: Unit, world: World, value: str, likely: Likely = Likely.HOLD) -> HeldSecret:
    text = f"Wi-Fi password: {value}\n"
    files.write(work, _place(world, "WIFI.md"), text, writer=PERSON, likely=likely)
    return HeldSecret.objects.get(fingerprint=fingerprint(world.team.pk, value))


def _refuse_held(work: Unit, world: World) -> None:
    held.refuse(work, _hold(work, world, "poppy" + "4711"), by=world.alice)


def _guessed(world: World) -> None:
    with unit(world.team) as work:
        one = _hold(work, world, "aster" + "4711")
    with pytest.raises(WrongValue), unit(world.team) as work:
        held.release(work, one, by=world.alice, value="aster")


PERSON = Writer(AuthorKind.PERSON)
SNAPSHOT = of({"SOUL.md": "Loud.\n"})
SAID = [NewMessage("user", "I moved to Porto.", "t1"), NewMessage("user", "I like it.", "t2")]


def _issue(world: World, purpose: Purpose = Purpose.LINK) -> str:
    return one_time_codes.issue(
        owner=world.sender, integration=world.integration, purpose=purpose, by=SYSTEM
    ).secret


def _link(world: World, code: str = "") -> object:
    return one_time_codes.redeem_link(
        team=world.team, user=world.bob, code=code or _issue(world), by=SYSTEM
    )


def _mistyped(world: World) -> None:
    with pytest.raises(CodeRefused):
        _link(world, "AAAA-AAAA")


def _unlinked(world: World) -> object:
    _link(world)
    return one_time_codes.unlink(owner=world.sender, user=world.bob, by=SYSTEM)


def _visit(world: World) -> OneTimeCode:
    return one_time_codes.redeem_visit(_issue(world, Purpose.VISIT))


ACTS: dict[str, tuple[str, Act]] = {
    "get a code": ("owner.code_issued", _issue),
    "link an owner": ("owner.linked", _link),
    "mistype a code": ("owner.link_refused", _mistyped),
    "unlink an owner": ("owner.unlinked", _unlinked),
    "open a visit": ("visit.opened", _visit),
    "close a visit": ("visit.closed", lambda w: one_time_codes.close_visit(_visit(w))),
    "write": (
        "file.written",
        _in_unit(lambda u, w: files.write(u, _place(w), "# Memory\n\n- New.\n", writer=PERSON)),
    ),
    "append": (
        "file.written",
        _in_unit(lambda u, w: files.append(u, _place(w), [NewLine("- New.")], writer=PERSON)),
    ),
    "delete": ("file.deleted", _in_unit(lambda u, w: files.delete(u, _file(w), writer=PERSON))),
    "restore": (
        "file.restored",
        _in_unit(lambda u, w: files.restore(u, _file(w), 1, writer=PERSON)),
    ),
    "rename": (
        "file.renamed",
        _in_unit(lambda u, w: files.rename(u, _file(w, "SOUL.md"), "VOICE.md", writer=PERSON)),
    ),
    "arrange": (
        "prompt.changed",
        _in_unit(lambda u, w: arrange(u, w.agent, None, [("MEMORY.md", False)])),
    ),
    "release a person's lines": ("line.released", _in_unit(_released)),
    "keep a person's lines again": ("line.kept", _in_unit(_kept_again)),
    "hold a likely secret": ("secret.held", _in_unit(lambda u, w: _hold(u, w, "daisy" + "4711"))),
    "release in the editor": (
        "secret.released",
        _in_unit(lambda u, w: _hold(u, w, "tulip" + "4712", likely=Likely.RELEASE)),
    ),
    "decide about a likely secret": ("secret.decided", _in_unit(_refuse_held)),
    "propose": (
        "proposal.made",
        _in_unit(
            lambda u, w: proposals.propose(
                u,
                run=Run.objects.filter(agent=w.agent, owner=w.customer)[0],
                file=_file(w),
                content="# Memory\n\n- Else.\n",
                origins={},
                broken=[],
            )
        ),
    ),
    "take back": (
        "provenance.reverted",
        _in_unit(
            lambda u, w: revert(
                u, Source(w.agent, Kind.RUN, _proposal(w).run_id), Q(), Q(), writer=PERSON
            )
        ),
    ),
    "keep a marked line": (
        "mark.kept",
        _in_unit(
            lambda u, w: mark_decisions.keep(u, _marked(w), print_of(MARKED_LINE), by=w.alice)
        ),
    ),
    "remove a marked line": (
        "mark.removed",
        _in_unit(
            lambda u, w: mark_decisions.remove(u, _marked(w), print_of(MARKED_LINE), by=w.alice)
        ),
    ),
    "accept": (
        "proposal.accepted",
        _in_unit(lambda u, w: proposals.accept(u, _proposal(w), by=w.alice)),
    ),
    "reject": (
        "proposal.rejected",
        _in_unit(lambda u, w: proposals.reject(u, _proposal(w), by=w.alice)),
    ),
    "export a snapshot": (
        "snapshot.exported",
        _in_unit(lambda u, w: export(u, w.agent, None)),
    ),
    "import a snapshot": ("snapshot.imported", _in_unit(lambda u, w: _imported(u, w))),
    "upload a snapshot": (
        "snapshot.uploaded",
        _in_unit(lambda u, w: keep(u, w.agent, None, SNAPSHOT, user=w.bob)),
    ),
    "drop a snapshot": (
        "snapshot.dropped",
        _in_unit(lambda u, w: drop(u, w.agent.uploads.get(user=w.alice))),
    ),
    "create agent": ("agent.created", _in_unit(lambda u, w: create_agent(u, name="Night porter"))),
    "change agent": (
        "agent.changed",
        _in_unit(lambda u, w: change_agent(u, w.agent, name="Doorman")),
    ),
    "archive agent": ("agent.archived", _in_unit(lambda u, w: archive_agent(u, w.agent))),
    "restore agent": (
        "agent.restored",
        _in_unit(lambda u, w: restore_agent(u, Agent.objects.get(name="Old"))),
    ),
    "say": (
        "conversation.received",
        _in_unit(
            lambda u, w: add_messages(
                u, agent=w.agent, owner=w.customer, conversation_id="new", messages=SAID
            )
        ),
    ),
    "import": (
        "conversation.imported",
        _in_unit(
            lambda u, w: add_messages(
                u,
                agent=w.agent,
                owner=w.customer,
                conversation_id="new",
                messages=SAID,
                source="import",
            )
        ),
    ),
    "give memory": (
        "context.served",
        _in_unit(lambda u, w: injecting.served(u, context.build(Reader(w.agent), "Tea?"))),
    ),
    "ask for a dream": (
        "run.requested",
        _in_unit(lambda u, w: schedule.request(u, w.other_agent, None, trigger="person")),
    ),
    "ask for an extraction": (
        "run.requested",
        _in_unit(
            lambda u, w: requests.request(
                u, agent=w.agent, owner=w.customer, trigger="api", immediate=True
            )
        ),
    ),
    "refuse a secret": ("secret.refused", _refused_secret),
    "guess at a held secret": ("secret.value_refused", _guessed),
    "create team": ("team.created", lambda w: teams.create_team(name="Quay", by=SYSTEM)),
    "rename team": (
        "team.changed",
        lambda w: teams.rename_team(team=w.team, name="Quay", by=SYSTEM),
    ),
    "add member": (
        "member.added",
        lambda w: members.add_member(
            team=w.team, email="new@example.org", role=Role.VIEWER, by=SYSTEM
        ),
    ),
    "change member": (
        "member.changed",
        lambda w: members.change_member(
            membership=_membership(w), role=Role.VIEWER, ends_at=None, by=SYSTEM
        ),
    ),
    "remove member": (
        "member.removed",
        lambda w: members.remove_member(membership=_membership(w), by=SYSTEM),
    ),
    "issue token": ("token.issued", lambda w: personal_token(w.team, w.alice)),
    "revoke token": ("token.revoked", lambda w: tokens.revoke(token=_token(w), by=SYSTEM)),
    "use token": ("token.used", _unused),
    "create integration": (
        "integration.created",
        lambda w: integrations.create_integration(team=w.team, name="shop", by=SYSTEM),
    ),
    "change integration": (
        "integration.changed",
        lambda w: integrations.change_integration(
            integration=w.integration,
            by=SYSTEM,
            name="desk",
            channels=[],
            agents=[],
            scopes=[Scope.MEMORY_READ.value],
        ),
    ),
    "let read across owners": (
        "integration.changed",
        lambda w: integrations.grant_personal_read(
            integration=w.integration, reason="Support.", by=SYSTEM
        ),
    ),
    "revoke integration": (
        "integration.revoked",
        lambda w: integrations.revoke_integration(integration=w.integration, by=SYSTEM),
    ),
    "invite": (
        "invitation.made",
        lambda w: invitations.invite(
            team=w.team, email="x@example.org", role=Role.VIEWER, by=SYSTEM
        ),
    ),
    "withdraw an invitation": (
        "invitation.withdrawn",
        lambda w: invitations.withdraw(invitation=_invitation(w), by=SYSTEM),
    ),
    "accept an invitation": (
        "invitation.accepted",
        lambda w: invitations.accept_as_new(invitation=_invitation(w), name="Gil", password="pw"),
    ),
    "break glass": (
        "breakglass.opened",
        lambda w: open_glass(owner=w.bobs_memory, user=w.alice, reason="A complaint.", by=SYSTEM),
    ),
    "pause": (
        "owner.paused",
        lambda w: set_paused(owner=w.customer, paused=True, by=SYSTEM),
    ),
    "resume": (
        "owner.resumed",
        lambda w: set_paused(owner=w.sender, paused=False, by=SYSTEM),
    ),
    "change profile": (
        "profile.changed",
        lambda w: people.change_profile(user=_user(w), name="Bobby", time_zone="UTC"),
    ),
    "sign in": ("signin.succeeded", lambda w: signins.record_act(w.bob, "signin.succeeded")),
    "fail to sign in": ("signin.failed", lambda w: signins.record_wrong_password(w.bob.email)),
    "sign out": ("signout", lambda w: signins.record_act(w.bob, "signout")),
    **{
        f"change sign-in: {action}": (action, _own_act(action))
        for action in ("email.changed", "factor.added", "factor.removed", "factor.renewed")
    },
    "change password": (
        "password.changed",
        lambda w: signins.record_act(w.bob, "password.changed"),
    ),
}


@pytest.fixture
def staged(world: World) -> World:
    restored_stage(world.home, "home", colleague=world.vera)
    more = [NewMessage("user", f"I have {n} cats.", str(n)) for n in range(2, 7)]
    with unit(world.team) as work:
        archive_agent(work, create_agent(work, name="Old"))
        keep(work, world.agent, None, SNAPSHOT, user=world.alice)
        add_messages(
            work, agent=world.agent, owner=world.customer, conversation_id="cats", messages=more
        )
    type(world.sender).objects.filter(pk=world.sender.pk).update(paused=True)
    return world


def test_every_action_of_the_catalogue_is_walked() -> None:
    assert {action for action, _act in ACTS.values()} | ELSEWHERE == ACTIONS.keys()


def test_an_act_leaves_its_event(staged: World) -> None:
    for name, (action, act) in ACTS.items():
        with undone():
            before = set(Event.objects.values_list("pk", flat=True))
            act(staged)
            made = Event.objects.exclude(pk__in=before)
            assert action in set(made.values_list("action", flat=True)), name
            assert all(verify(team_id).ok for team_id in made.values_list("team_id", flat=True))


def test_without_its_event_an_act_leaves_nothing(staged: World) -> None:
    for name, (_action, act) in ACTS.items():
        with undone():
            before = everything(but=ALL)
            with refusing_events(), pytest.raises(DatabaseError):
                act(staged)
            assert _same(everything(but=ALL), before), name


def test_all_acts_in_a_row_leave_a_chain_that_verifies(staged: World) -> None:
    for name, (_action, act) in ACTS.items():
        if name not in {"reject", "remove a marked line"}:  # what was decided just before
            act(staged)
    verified = verify(staged.team.pk)
    assert (verified.ok, verified.problem) == (True, "")
    assert verified.events == Event.objects.filter(team_id=staged.team.pk).count()


def test_without_its_event_a_dream_writes_nothing_and_is_tried_again(world: World) -> None:
    run = _dream_of_one_line(world)
    with refusing_events():
        engine.work(run.pk)
    run.refresh_from_db()
    assert (run.status, run.is_active) == ("failed", True)
    assert not File.objects.filter(owner=world.customer, path="MEMORY.md").exists()
    assert not Report.objects.exists()
    Run.objects.filter(pk=run.pk).update(due_at=timezone.now())
    engine.work(run.pk)
    run.refresh_from_db()
    assert run.status == "succeeded"
    assert Report.objects.count() == 1
    assert verify(world.team.pk).ok


def test_a_dream_s_writing_and_its_end_are_events_of_its_run(world: World) -> None:
    run = _dream_of_one_line(world)
    engine.work(run.pk)
    made = Event.objects.filter(run_id=run.pk).order_by("seq")
    assert [event.action for event in made] == [
        "run.requested",
        *["file.written"] * 2,
        "run.finished",
    ]
    assert {event.on_behalf_of for event in made} == {world.customer.pk}


def _dream_of_one_line(world: World) -> Run:
    night = timezone.now().date()
    with unit(world.team) as work:
        line = NewLine("- 09:00 Marta's team ships on Thursdays.", Origin(durable=True))
        files.append(work, _place(world, f"memory/{night}.md"), [line], writer=PERSON)
        return schedule.request_night(
            work, world.agent, world.customer, night, trigger="command"
        ).run


def _same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return {k: v for k, v in one.items() if v != other[k]} == {}
