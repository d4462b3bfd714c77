"""What a test call asks a model: what a night asks it, about people who don't exist."""

from memoryweb.dreaming import capacity
from memoryweb.dreaming.answer_schema import DreamAnswer
from memoryweb.llm import prompts
from memoryweb.llm.choices import Trial

_STATEMENTS, _NOTES = 60, 25  # of an ordinary night: about 4,000 tokens with what is asked of them


def trial() -> Trial:
    statements = [
        f"Customer {n} gets their order {4_000 + n} on Tuesdays." for n in range(_STATEMENTS)
    ]
    notes = [f"Customer {n} wants order {5_000 + n} on Fridays from now on." for n in range(_NOTES)]
    data = {
        "date": "2031-03-02",
        "memory": [
            {"id": f"s{n}", "text": text, "said": "2031-02-01"}
            for n, text in enumerate(statements, start=1)
        ],
        "retired": [],
        "corrected": [],
        "limit": capacity.CAP,
        "used": sum(map(len, statements)),
        "notes": [
            {"id": f"n{n}", "text": f"- 09:{n:02} {text}", "said": "2031-03-01"}
            for n, text in enumerate(notes, start=1)
        ],
    }
    return Trial(prompts.load("dream"), data, DreamAnswer)
