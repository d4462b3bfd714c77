"""Why an action on people, teams or tokens is refused: a code and a sentence."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class AccountsRefused(Exception):
    """Said as the class's own sentence with `words` in it, or as the one sentence given."""

    code = "refused"
    sentence: str | Promise = "{}"

    def __init__(self, *words: object) -> None:
        super().__init__(str(self.sentence).format(*words))


class NotFound(AccountsRefused):
    code = "not_found"


class Ambiguous(AccountsRefused):
    code = "ambiguous"


class NameRefused(AccountsRefused):
    code = "name_refused"


class NameTaken(AccountsRefused):
    code = "name_taken"
    sentence = _("The name “{}” is taken.")


class AddressRefused(AccountsRefused):
    code = "address_refused"
    sentence = _("“{}” is not an e-mail address.")


class AddressTaken(AccountsRefused):
    code = "address_taken"
    sentence = _("{} belongs to another account.")


class AddressLinkGone(AccountsRefused):
    code = "address_link_gone"
    sentence = _("This link was used, has expired, or is for another account. Ask for a new one.")


class AlreadyMember(AccountsRefused):
    code = "already_member"
    sentence = _("{} is already a member of this team.")


class NotMember(AccountsRefused):
    code = "not_member"
    sentence = _("{} does not belong to this team.")


class NoPerson(AccountsRefused):
    code = "no_person"
    sentence = _("Only a personal token can write as a person. An integration writes as itself.")


class InvitationGone(AccountsRefused):
    code = "invitation_gone"
    sentence = _("This invitation was used or withdrawn, or has expired.")


class NotInvited(AccountsRefused):
    code = "not_invited"
    sentence = _("This invitation is for {}. Sign in with that address to use it.")


class LastAdmin(AccountsRefused):
    code = "last_admin"
    sentence = _(
        "A team needs at least one admin without an end date. Make someone else an admin first."
    )


class ByGroup(AccountsRefused):
    code = "by_group"
    sentence = _("{} is here by a group of the company's account. Change it there.")


class NotDemo(AccountsRefused):
    code = "not_demo"
    sentence = _("Only the demo team can be removed.")


class EndRefused(AccountsRefused):
    code = "end_refused"
    sentence = _("The end date must be in the future.")


class ChannelRefused(AccountsRefused):
    code = "channel_refused"
    sentence = _(
        "“{}” cannot be a channel. Use at most 32 lower-case letters, digits, “-” and "
        "“_”, starting with a letter. Some names, such as “user”, are reserved."
    )


class AgentRefused(AccountsRefused):
    code = "agent_refused"
    sentence = _("This team has no agent “{}”.")


class ScopeRefused(AccountsRefused):
    code = "scope_refused"
    sentence = _("These scopes can't be given here: {}.")


class ScopeMissing(AccountsRefused):
    code = "scope_missing"
    sentence = _("Choose at least one scope.")


class ReasonMissing(AccountsRefused):
    code = "reason_missing"
    sentence = _("Say why this program needs it.")


class ExpiryRefused(AccountsRefused):
    code = "expiry_refused"
    sentence = _("A token is valid for 1 to {} days.")


class Revoked(AccountsRefused):
    code = "revoked"
    sentence = _("This is already revoked.")
