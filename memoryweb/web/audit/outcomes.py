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
    "read": gettext_lazy("This role can't read shared memory."),
    "export": gettext_lazy("This role can't export."),
    "write": gettext_lazy("This role can't change this memory."),
    "import": gettext_lazy("This role can't import."),
    "dream": gettext_lazy("This role can't start dreams."),
    "decide": gettext_lazy("This role can't decide on this proposal."),
    "manage_agents": gettext_lazy("This role can't manage agents."),
    "manage_members": gettext_lazy("This role can't manage the team and its members."),
    "manage_tokens": gettext_lazy("This role can't manage integrations and tokens."),
    "see_members": gettext_lazy("This role can't see members."),
    "see_tokens": gettext_lazy("This role can't see integrations."),
    "see_owners": gettext_lazy("This role can't see people."),
    "see_audit": gettext_lazy("This role can't see the audit log."),
    "break_glass": gettext_lazy("This role can't open other people's memory."),
    "forget": gettext_lazy("This role can't erase this memory."),
    "system_owner": gettext_lazy("The system has no memory of its own to erase."),
    "export_owners": gettext_lazy("This role can't export another person's memory."),
    "integration_required": gettext_lazy("Only an integration can get codes for its end users."),
    "personal": gettext_lazy("This is another person's memory."),
    "own_memory": gettext_lazy("Your own memory needs no reason to open."),
    "revert": gettext_lazy("This role can't revert what a source wrote."),
    "revoke_token": gettext_lazy("The token belongs to someone else."),
    "scope_missing": gettext_lazy("The token doesn't have this permission."),
    "agent_forbidden": gettext_lazy("The integration may not use this agent."),
    "channel_forbidden": gettext_lazy("The integration may not use this channel."),
    "owner_forbidden": gettext_lazy("The token may not name this person."),
    "person_required": gettext_lazy("Only a person can decide on a proposal."),
}
_READS: dict[str, Text] = {
    "break_glass": gettext_lazy("Opened for an hour, with a reason."),
    "granted": gettext_lazy("An admin lets this program read everyone's memory."),
}
_SIGNINS: dict[str, Text] = {
    "wrong_password": gettext_lazy("The password was wrong."),
    "wrong_code": gettext_lazy("The second-factor code was wrong."),
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
        return _("The code was wrong, used or expired.")
    known = of_action.get(event.action, {})
    # The API says what the role lacks as `may_not_write`.
    return known.get(code.removeprefix("may_not_")) or (wording.reason(code) if code else "")
