"""How the outcome of an audit event reads, and why: a word and a sentence, never a code alone."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memoryweb.audit.models import Event
from memoryweb.runs.models import Run
from memoryweb.web import wording
from memoryweb.web.wording import Chip, Text

# What the filter calls each outcome, and which stored ones it means.
OUTCOMES: dict[str, tuple[Text, frozenset[str]]] = {
    "ok": (gettext_lazy("Done"), frozenset({"ok", "succeeded", "no_change"})),
    "needs_review": (gettext_lazy("Needs review"), frozenset({"needs_review"})),
    "skipped": (gettext_lazy("Skipped"), frozenset({"skipped"})),
    "denied": (gettext_lazy("Denied"), frozenset({"denied"})),
    "refused": (gettext_lazy("Refused"), frozenset({"refused"})),
    "failed": (gettext_lazy("Failed"), frozenset({"failed"})),
}
_CHIPS = {
    "denied": Chip("bad", gettext_lazy("denied")),
    "refused": Chip("bad", gettext_lazy("refused")),
}
_DENIALS: dict[str, Text] = {
    "read": gettext_lazy("The role does not read shared memory."),
    "export": gettext_lazy("The role does not export."),
    "write": gettext_lazy("The role does not change this memory."),
    "import": gettext_lazy("The role does not import."),
    "dream": gettext_lazy("The role does not start dreams."),
    "decide": gettext_lazy("The role does not decide on this proposal."),
    "manage_agents": gettext_lazy("The role does not manage agents."),
    "manage_members": gettext_lazy("The role does not manage the team and its members."),
    "manage_tokens": gettext_lazy("The role does not manage integrations and tokens."),
    "see_members": gettext_lazy("The role does not see members."),
    "see_tokens": gettext_lazy("The role does not see integrations."),
    "see_owners": gettext_lazy("The role does not see owners."),
    "see_audit": gettext_lazy("The role does not see the audit log."),
    "break_glass": gettext_lazy("The role does not open other people's memory."),
    "export_owners": gettext_lazy("The role does not export another person's memory."),
    "integration_required": gettext_lazy("Only an integration gets codes for its end users."),
    "personal": gettext_lazy("It is the memory of another person."),
    "own_memory": gettext_lazy("One's own memory is open without a reason."),
    "revert": gettext_lazy("The role does not take back what a source wrote."),
    "revoke_token": gettext_lazy("The token is another person's."),
    "scope_missing": gettext_lazy("The token lacks the scope for this."),
    "agent_forbidden": gettext_lazy("The integration may not use this agent."),
    "channel_forbidden": gettext_lazy("The integration may not use this channel."),
    "owner_forbidden": gettext_lazy("The token may not name this owner."),
    "person_required": gettext_lazy("Only a person decides about a proposal."),
}
_READS: dict[str, Text] = {
    "break_glass": gettext_lazy("The memory had been opened for an hour, with a reason."),
    "granted": gettext_lazy("An admin lets this program read across owners."),
}
_SIGNINS: dict[str, Text] = {
    "wrong_password": gettext_lazy("The password was wrong."),
    "wrong_code": gettext_lazy("The code of the second factor was wrong."),
    "unknown_address": gettext_lazy("Nobody here has this e-mail address."),
}


def chip_of(event: Event) -> Chip | None:
    """None where it went as it should: that needs no word."""
    if event.outcome == "ok":
        return None
    if event.outcome in Run.Status.values:
        return wording.outcome(event.outcome)
    return _CHIPS.get(event.outcome, Chip("idle", event.outcome.replace("_", " ")))


def reason_of(event: Event) -> Text:
    code = event.reason_code
    if event.action == "secret.refused":
        return _("It looked like a secret ({kind}).").format(kind=code.replace("-", " "))
    of_action = {"access.denied": _DENIALS, "personal.read": _READS, "signin.failed": _SIGNINS}
    if code == "wrong_link_code":
        return _("The code was wrong, used, or had run out.")
    known = of_action.get(event.action, {})
    # The API says what the role lacks as `may_not_write`.
    return known.get(code.removeprefix("may_not_")) or (wording.reason(code) if code else "")
