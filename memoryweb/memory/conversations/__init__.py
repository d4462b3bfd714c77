"""Messages: kept in order, masked, once each; and what is read of them."""

from memoryweb.memory.conversations.messages import (
    ImportCounts,
    Intake,
    add_messages,
    amount_of,
    import_messages,
    last_words,
)
from memoryweb.memory.conversations.parsing import (
    MAX_BATCH_BYTES,
    MAX_MESSAGES,
    NewMessage,
    conversation_id,
    parse_batch,
    parse_message,
)
from memoryweb.memory.conversations.queries import (
    SPEAKING,
    Talks,
    Window,
    first_said,
    last_marker,
    messages_by_day,
    messages_with_talks,
    newest,
    next_window,
    note_date,
    talks_per_owner,
)

__all__ = [
    "MAX_BATCH_BYTES",
    "MAX_MESSAGES",
    "SPEAKING",
    "ImportCounts",
    "Intake",
    "NewMessage",
    "Talks",
    "Window",
    "add_messages",
    "amount_of",
    "conversation_id",
    "first_said",
    "import_messages",
    "last_marker",
    "last_words",
    "messages_by_day",
    "messages_with_talks",
    "newest",
    "next_window",
    "note_date",
    "parse_batch",
    "parse_message",
    "talks_per_owner",
]
