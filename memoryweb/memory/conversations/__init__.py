"""Messages: kept in order, masked, once each; and what is read of them."""

from memoryweb.memory.conversations.continuing import continued, untold
from memoryweb.memory.conversations.messages import (
    ImportCounts,
    Intake,
    Talks,
    add_messages,
    amount_of,
    first_said,
    import_messages,
    last_marker,
    messages_by_day,
    messages_with_talks,
    speaks_against_memory,
    talks_per_owner,
)
from memoryweb.memory.conversations.parsing import (
    MAX_BATCH_BYTES,
    MAX_MESSAGES,
    NewMessage,
    check_size,
    conversation_id,
    parse_batch,
    parse_message,
)
from memoryweb.memory.conversations.windows import (
    SPEAKING,
    Window,
    newest,
    next_window,
    note_date,
)
