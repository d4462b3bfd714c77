"""Every act on people, teams and what opens a door, and the event that it leaves."""

from collections.abc import Callable
from secrets import token_hex

import pytest
from django.utils import timezone

from memoryweb.accounts import addresses, integrations, members, signins, teams, tokens
from memoryweb.accounts.models import Invitation, Membership, Token, User
from memoryweb.accounts.permissions import Role, Scope
from memoryweb.agents import one_time_codes
from memoryweb.agents.break_glass import open_glass
from memoryweb.agents.exceptions import CodeRefused
from memoryweb.agents.models import OneTimeCode
from memoryweb.agents.one_time_codes import Purpose
from memoryweb.agents.owners import set_paused
from memoryweb.audit.record import SYSTEM
from memoryweb.llm import choices
from memoryweb.llm.models import TeamEmbedding, TeamModel
from memoryweb.memory.models.writer import Transaction, write_transaction
from memoryweb.notify import endpoints
from memoryweb.notify.models import Endpoint
from tests.world import World, personal_token

Act = Callable[[World], object]


def _on_webhook(act: Callable[[Transaction, Endpoint], object]) -> Act:
    def acts(world: World) -> None:
        with write_transaction(world.team) as tx:
            act(tx, Endpoint.objects.get(team=world.team, url="https://receiver.example/"))

    return acts


def _made_webhook(tx: Transaction, _endpoint: Endpoint) -> object:
    return endpoints.make(tx, url="https://other.example/", events=["fact.changed"])


def _slack(tx: Transaction, endpoint: Endpoint) -> object:
    address = "https://hooks.slack.com/services/T0/B0/key"
    return endpoints.make_slack(tx, address=address, user=endpoint.user, site="https://here")


def _resent(tx: Transaction, endpoint: Endpoint) -> None:
    endpoints.resend(tx, endpoint.deliveries.order_by("created_at")[0])


def _invitation(world: World) -> Invitation:
    return members.open_of(world.team).latest("created_at")


def _own_act(action: str) -> Act:
    return lambda world: signins.record_act(world.bob, action)


def _membership(world: World) -> Membership:
    return Membership.objects.get(team=world.team, user=world.bob)


def _token(world: World) -> Token:
    return Token.objects.get(team=world.team, user=world.vera)


def _user(world: World) -> User:
    return User.objects.get(pk=world.bob.pk)


def _unused(world: World) -> None:
    Token.objects.update(last_used_at=None)
    tokens.mark_used(_token(world), SYSTEM)


def _renewed(world: World) -> None:
    until = timezone.now()
    tokens.renew(_token(world), by=SYSTEM, secret_until=until, expires_at=until)


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


def _withdrawn(world: World) -> object:
    _issue(world, Purpose.VISIT)
    return one_time_codes.withdraw(owner=world.sender, by=SYSTEM)


def _address(world: World) -> str:
    """The code that is mailed there."""
    given = one_time_codes.give_address(
        owner=world.sender,
        integration=world.integration,
        email=f"{token_hex(4)}@harbour.example",
        language="en",
        by=SYSTEM,
    )
    assert given
    return given.secret


def _confirmed(world: World, code: str = "") -> None:
    code = code or _address(world)
    one_time_codes.confirm_address(
        owner=world.sender, integration=world.integration, code=code, by=SYSTEM
    )


def _misconfirmed(world: World) -> None:
    _address(world)
    with pytest.raises(CodeRefused):
        _confirmed(world, "AAAA-AAAA")


def _unaddressed(world: World) -> object:
    _address(world)
    return one_time_codes.remove_address(owner=world.sender, by=SYSTEM)


def _visit(world: World) -> OneTimeCode:
    return one_time_codes.redeem_visit(_issue(world, Purpose.VISIT))


ON_PEOPLE: dict[str, tuple[str, Act]] = {
    "give an address": ("owner.address_given", _address),
    "confirm an address": ("owner.address_confirmed", _confirmed),
    "mistype an address's code": ("owner.address_refused", _misconfirmed),
    "remove an address": ("owner.address_removed", _unaddressed),
    "get a code": ("owner.code_issued", _issue),
    "withdraw a link": ("owner.code_withdrawn", _withdrawn),
    "link an owner": ("owner.linked", _link),
    "mistype a code": ("owner.link_refused", _mistyped),
    "unlink an owner": ("owner.unlinked", _unlinked),
    "open a visit": ("visit.opened", _visit),
    "close a visit": ("visit.closed", lambda w: one_time_codes.close_visit(_visit(w))),
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
    "make webhook": ("webhook.made", _on_webhook(_made_webhook)),
    "add a channel of Slack": ("webhook.made", _on_webhook(_slack)),
    "change webhook": (
        "webhook.changed",
        _on_webhook(lambda tx, one: endpoints.change(tx, one, url=one.url, events=[])),
    ),
    "turn webhook off": (
        "webhook.changed",
        _on_webhook(lambda tx, one: endpoints.turn(tx, one, is_on=False)),
    ),
    "renew webhook": ("webhook.renewed", _on_webhook(endpoints.renew)),
    "test webhook": ("webhook.tested", _on_webhook(endpoints.test)),
    "resend webhook": ("webhook.resent", _on_webhook(_resent)),
    "remove webhook": ("webhook.removed", _on_webhook(endpoints.remove)),
    "issue token": ("token.issued", lambda w: personal_token(w.team, w.alice)),
    "let token share": (
        "token.changed",
        lambda w: tokens.let_share(token=_token(w), reason="Keeps the opening hours.", by=SYSTEM),
    ),
    "renew an app's token": ("token.renewed", _renewed),
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
        lambda w: integrations.grant(
            scope=Scope.PERSONAL_READ, integration=w.integration, reason="Support.", by=SYSTEM
        ),
    ),
    "revoke integration": (
        "integration.revoked",
        lambda w: integrations.revoke_integration(integration=w.integration, by=SYSTEM),
    ),
    "invite": (
        "invitation.made",
        lambda w: members.invite(team=w.team, email="x@example.org", role=Role.VIEWER, by=SYSTEM),
    ),
    "withdraw an invitation": (
        "invitation.withdrawn",
        lambda w: members.withdraw(invitation=_invitation(w), by=SYSTEM),
    ),
    "accept an invitation": (
        "invitation.accepted",
        lambda w: members.accept_as_new(invitation=_invitation(w), name="Gil", password="pw"),
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
        lambda w: members.change_profile(user=_user(w), name="Bobby", time_zone="UTC"),
    ),
    "sign in": ("signin.succeeded", lambda w: signins.record_act(w.bob, "signin.succeeded")),
    "fail to sign in": ("signin.failed", lambda w: signins.record_wrong_password(w.bob.email)),
    "sign out": ("signout", lambda w: signins.record_act(w.bob, "signout")),
    **{
        f"change sign-in: {action}": (action, _own_act(action))
        for action in (
            *("factor.added", "factor.removed", "factor.renewed"),
            "signin.linked",
        )
    },
    "choose a model": (
        "model.chosen",
        lambda w: choices.choose(table=TeamModel, team_id=w.team.pk, choice="none", by=SYSTEM),
    ),
    "limit what models may cost": (
        "model.limited",
        lambda w: choices.limit_cost(team_id=w.team.pk, daily_cost=1.5, by=SYSTEM),
    ),
    "remove the model": (
        "model.removed",
        lambda w: choices.remove_own(table=TeamModel, team_id=w.team.pk, by=SYSTEM),
    ),
    "choose an embedding endpoint": (
        "embedding.chosen",
        lambda w: choices.choose(table=TeamEmbedding, team_id=w.team.pk, choice="none", by=SYSTEM),
    ),
    "remove the embedding endpoint": (
        "embedding.removed",
        lambda w: choices.remove_own(table=TeamEmbedding, team_id=w.team.pk, by=SYSTEM),
    ),
    "change address": (
        "email.changed",
        lambda w: addresses.change_address(user=_user(w), email="bobby@example.org"),
    ),
    "change password": (
        "password.changed",
        lambda w: signins.record_act(w.bob, "password.changed"),
    ),
}
