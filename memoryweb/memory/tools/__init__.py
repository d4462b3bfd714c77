"""The tools of agents: functions of an acting reader, never of an argument."""

from memoryweb.memory.tools.facts import (
    SLICE,
    STRUCTURED,
    check,
    contradictions,
    counted,
    current,
    describe,
    having,
    own,
    probe,
    request,
    reword,
    search,
    search_facts,
    state,
    structured,
    values,
)
from memoryweb.memory.tools.files import (
    Acting,
    DateRefused,
    EditRefused,
    change_file,
    edit_file,
    list_files,
    memory_get,
    memory_search,
    place_of,
    read_file,
    remember,
    search_workspace,
    write_file,
)
from memoryweb.memory.tools.section_writing import (
    HEADING,
    KEY,
    Step,
    Strategy,
    StrategyRefused,
    write_memory,
)
