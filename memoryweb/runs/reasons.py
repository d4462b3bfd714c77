"""Why a run ended as it did: a sentence for every code that is stored."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Text = str | Promise

_SENTENCES: dict[str, Text] = {
    "no_notes": _("There were no notes to dream about."),
    "no_new_notes": _("Looked at the notes; nothing was new."),
    "nothing_promoted": _("No candidate passed every gate."),
    "nothing_to_keep": _("Nothing was said that is worth keeping."),
    "empty_answer": _("The model answered with an empty memory; nothing was changed."),
    "no_model": _("This agent wants a model, and none is set up."),
    "archived": _("The agent was archived meanwhile."),
    "worker_lost": _("The worker was lost again and again; the run was given up."),
    "interrupted": _("The worker stopped in the middle; it goes on from there."),
    "unfinished": _("The work ended without saying how."),
    "unexpected": _("Something unexpected broke; nothing was changed."),
    "policy": _("This agent asks a person before it changes memory."),
    "proposal": _("A change of memory waits for a person."),
    "pinned": _("A guard stopped it: pinned lines would change."),
    "edited": _("A guard stopped it: lines that a person edited would change."),
    "confirmed": _("A guard stopped it: confirmed facts would be lost."),
    "dropped": _("A guard stopped it: too many entries would be dropped."),
    "changed": _("A guard stopped it: too many lines would change in one day."),
    "size": _("A guard stopped it: the file would grow too large."),
    "secret": _("A guard stopped it: a new line looks like a secret."),
    "address": _("A guard stopped it: an address would appear that nobody named."),
    "outside": _("What comes from outside the team waits for a person."),
    "cited": _("A guard stopped it: a new line names no note that it comes from."),
    "empty": _("A guard stopped it: the new text is empty."),
    "current": _("The notes changed while it was at work; a person decides."),
    "budget_spent": _("The team's tokens for today are used up."),
    "breaker_open": _("The model endpoint failed too often and is left alone a while."),
    "model_failed": _("The model endpoint failed."),
    "model_not_configured": _("No model is set up for this installation."),
    "model_host_refused": _("The model's host is not on the list of allowed hosts."),
    "model_key_refused": _("The model endpoint refused the key."),
    "model_access_refused": _("The model endpoint refused access."),
    "model_request_refused": _("The model endpoint refused the request."),
    "model_not_found": _("The model endpoint does not know this model."),
    "model_input_too_large": _("The notes are too long for the model."),
    "model_busy": _("The model endpoint is busy."),
    "model_unavailable": _("The model endpoint could not be reached."),
    "model_fault": _("The model endpoint reported an error of its own."),
    "model_timeout": _("The model did not answer in time."),
    "answer_unfinished": _("The model stopped in the middle of its answer."),
    "bad_answer": _("The model's answer could not be used; nothing was changed."),
    "set_aside": _("The model could not read some messages; they wait in Review."),
    # Why a conversation was left alone, also where no run was made for it.
    "agent_archived": _("The agent is archived; bring it back to go on."),
    "auto_summarize_off": _("Extraction after conversations is switched off for this agent."),
    "paused": _("Memory is paused for this owner."),
    "ephemeral": _("The conversation was sent as one to forget."),
    "source": _("Scheduled conversations and dreams are never extracted."),
    "too_few_messages": _("The conversation has too few messages so far."),
    "last_message_too_short": _("The last message of a person is too short so far."),
    "nothing_new": _("Every message was looked at already."),
    "reverted": _("A person took back what came from it; what is said next is read again."),
}


def reason(code: str) -> Text:
    """An unknown code as itself."""
    return _SENTENCES.get(code, code.replace("_", " "))
