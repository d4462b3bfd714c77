"""What an agent is given for a message, and what it was given."""

from memoryweb.memory.prompt.context import (
    LEAST_WINDOW,
    MOST_PERSONAL,
    MOST_WINDOW,
    WINDOW,
    Added,
    Context,
    Gauge,
    behind_lines,
    budget,
    build,
)
from memoryweb.memory.prompt.earlier_turns import KEPT_MESSAGES, MOST_TOKENS, Turn, summary_of
from memoryweb.memory.prompt.files import (
    PromptFile,
    arrange,
    enabled,
    line_count,
    personal,
    put_before,
    shared,
    step,
    switch,
)
from memoryweb.memory.prompt.injections import (
    GivenMemory,
    Line,
    Span,
    carried,
    found,
    given,
    is_first_today,
    last_prompt,
    note,
    prompts_with,
    recall,
    served,
    times_given,
    uses_of,
)
from memoryweb.memory.prompt.notices import can_recall, recall_of, send
from memoryweb.memory.prompt.prefetch import PromptHit, place_of
