"""Why a run ended as it did: a sentence for every code that is stored."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Text = str | Promise

_SENTENCES: dict[str, Text] = {
    "no_notes": _("There were no notes to dream about."),
    "no_new_notes": _("There was nothing new in the notes."),
    "nothing_promoted": _("Nothing that was read passed every check."),
    "previewed": _("The model was asked what it would do. Nothing was changed."),
    "nothing_to_keep": _("Nothing was said that is worth keeping."),
    "empty_answer": _("The model answered with an empty memory. Nothing was changed."),
    "no_model": _("This agent wants a model, and none is set up."),
    "archived": _("The agent was archived in the meantime."),
    "ledger_unavailable": _("It waits until the ledger of erasures can be written."),
    "worker_lost": _("The worker was lost several times, so the run was given up."),
    "interrupted": _("The worker stopped midway. The run continues from there."),
    "unfinished": _("The run ended without a result."),
    "unexpected": _("Something went wrong unexpectedly. Nothing was changed."),
    "policy": _("This agent asks a person before it changes memory."),
    "proposal": _("A proposed change waits in Review."),
    "pinned": _("Stopped: pinned lines would change."),
    "edited": _("Stopped: lines that a person edited would change."),
    "confirmed": _("Stopped: confirmed statements would be lost."),
    "dropped": _("Stopped: too many entries would be dropped."),
    "changed": _("Stopped: too many lines would change in one day."),
    "size": _("Stopped: the file would grow too large."),
    "secret": _("Stopped: a new line looks like a secret."),
    "address": _("Stopped: an address would appear that nobody mentioned."),
    "outside": _("It comes from outside the team, so it waits in Review."),
    "test": _("It would turn a memory test red, so it waits in Review."),
    "cited": _("Stopped: a new line doesn't say which note it comes from."),
    "empty": _("Stopped: the new text is empty."),
    "current": _("The notes changed while it was running, so the result waits in Review."),
    "budget_spent": _("The team's budget for today is used up."),
    "journal_budget": _("The journaler has used its tokens for today."),
    "breaker_open": _("The model endpoint failed too often. It is paused for a while."),
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
    "model_loading": _("The model endpoint was still loading its model."),
    "model_fault": _("The model endpoint had an error."),
    "model_timeout": _("The model did not answer in time."),
    "answer_unfinished": _("The model stopped in the middle of its answer."),
    "bad_answer": _("The model's answer could not be used. Nothing was changed."),
    "endpoint_changed": _("The embedding endpoint was changed in the meantime."),
    "set_aside": _("The model could not read some messages. They wait in Review."),
    # Why a conversation was left alone, also where no run was made for it.
    "agent_archived": _("The agent is archived. Restore it to continue."),
    "auto_summarize_off": _("Reading conversations is turned off for this agent."),
    "paused": _("Nothing new is kept of this person: they paused it."),
    "ephemeral": _("The conversation was sent as ephemeral."),
    "quota": _("A quota refused the messages."),
    "source": _("Scheduled conversations and dreams are not read."),
    "legal_hold": _("A legal hold keeps it from being erased. It stays hidden."),
    "nothing_to_erase": _("There was nothing left to erase."),
    "residue": _("Something of it was found after it was erased. An admin has to look."),
    "nothing_new": _("There are no new messages."),
    "import_gone": _("What was to be imported is gone. Import it again."),
    "reverted": _("Someone reverted what came from it. New messages are read again."),
}


def reason(code: str) -> Text:
    """An unknown code as itself."""
    return _SENTENCES.get(code, code.replace("_", " "))
