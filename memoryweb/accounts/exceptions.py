"""Why an action on people, teams or tokens is refused: a code and a sentence."""

from collections.abc import Iterable

from django.utils.translation import gettext as _


class AccountsRefused(Exception):
    code = "refused"


class NotFound(AccountsRefused):
    code = "not_found"


class Ambiguous(AccountsRefused):
    code = "ambiguous"


class NameRefused(AccountsRefused):
    code = "name_refused"


class NameTaken(AccountsRefused):
    code = "name_taken"

    def __init__(self, name: str) -> None:
        super().__init__(_("The name “{name}” is taken.").format(name=name))


class AddressRefused(AccountsRefused):
    code = "address_refused"

    def __init__(self, address: str) -> None:
        super().__init__(_("“{address}” is not an e-mail address.").format(address=address))


class AddressTaken(AccountsRefused):
    code = "address_taken"

    def __init__(self, address: str) -> None:
        super().__init__(_("{address} belongs to another account.").format(address=address))


class AddressLinkGone(AccountsRefused):
    code = "address_link_gone"

    def __init__(self) -> None:
        super().__init__(
            _("This link was used, has expired, or is for another account. Ask for a new one.")
        )


class AlreadyMember(AccountsRefused):
    code = "already_member"

    def __init__(self, person: object) -> None:
        super().__init__(_("{person} is already a member of this team.").format(person=person))


class NotMember(AccountsRefused):
    code = "not_member"

    def __init__(self, holder: object) -> None:
        super().__init__(_("{holder} does not belong to this team.").format(holder=holder))


class InvitationGone(AccountsRefused):
    code = "invitation_gone"

    def __init__(self) -> None:
        super().__init__(_("This invitation was used or withdrawn, or has expired."))


class NotInvited(AccountsRefused):
    code = "not_invited"

    def __init__(self, address: str) -> None:
        super().__init__(
            _("This invitation is for {address}. Sign in with that address to use it.").format(
                address=address
            )
        )


class LastAdmin(AccountsRefused):
    code = "last_admin"

    def __init__(self) -> None:
        super().__init__(
            _(
                "A team needs at least one admin without an end date. "
                "Make someone else an admin first."
            )
        )


class NotDemo(AccountsRefused):
    code = "not_demo"

    def __init__(self) -> None:
        super().__init__(_("Only the demo team can be removed."))


class EndRefused(AccountsRefused):
    code = "end_refused"

    def __init__(self) -> None:
        super().__init__(_("The end date must be in the future."))


class ChannelRefused(AccountsRefused):
    code = "channel_refused"

    def __init__(self, name: str) -> None:
        super().__init__(
            _(
                "“{name}” cannot be a channel. Use at most 32 lower-case letters, digits, “-” and "
                "“_”, starting with a letter. Some names, such as “user”, are reserved."
            ).format(name=name)
        )


class AgentRefused(AccountsRefused):
    code = "agent_refused"

    def __init__(self, agent: str) -> None:
        super().__init__(_("This team has no agent “{agent}”.").format(agent=agent))


class ScopeRefused(AccountsRefused):
    code = "scope_refused"

    def __init__(self, scopes: Iterable[str]) -> None:
        super().__init__(
            _("These scopes can't be given here: {scopes}.").format(scopes=", ".join(scopes))
        )


class ScopeMissing(AccountsRefused):
    code = "scope_missing"

    def __init__(self) -> None:
        super().__init__(_("Choose at least one scope."))


class ReasonMissing(AccountsRefused):
    code = "reason_missing"

    def __init__(self) -> None:
        super().__init__(_("Say why this program needs it."))


class ExpiryRefused(AccountsRefused):
    code = "expiry_refused"

    def __init__(self, longest: int) -> None:
        super().__init__(_("A token is valid for 1 to {longest} days.").format(longest=longest))


class Revoked(AccountsRefused):
    code = "revoked"

    def __init__(self) -> None:
        super().__init__(_("This is already revoked."))
