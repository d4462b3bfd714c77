"""English sentences of one person turned into third-person statements."""

import re
from dataclasses import replace
from datetime import datetime

from memoryweb.extraction.rules import (
    answers,
    dates,
    facts,
    fillers,
    requests,
    speakers,
    tense,
    topics,
    verdicts,
)
from memoryweb.extraction.rules.corrections import corrected
from memoryweb.extraction.rules.drafts import Draft, Scene
from memoryweb.extraction.rules.references import dangles
from memoryweb.extraction.rules.verbs import IRREGULAR_PAST, PAST_ED, words_of

UNNAMED = "The user"


def drafts(sentence: str, openers: fillers.Openers, scene: Scene) -> list[Draft]:
    """The clauses of one sentence that are worth keeping, in order."""
    bare, is_asked = requests.asked(openers.strip(sentence), scene)
    bare = openers.strip(corrected(bare, scene.earlier))
    bare = speakers.expand(openers.strip(bare) if is_asked else bare)
    found = []
    for part in fillers.clauses(bare):
        wish = requests.wish_draft(part, scene, is_asked=is_asked)
        if wish:
            found.append(wish)
            continue
        clause = topics.put_for_pronoun(openers.strip(part), scene.topic)
        draft = _draft(clause, scene) or facts.fact_draft(clause, scene, is_asked=is_asked)
        if draft:
            found.append(replace(draft, asked=is_asked, durable=draft.durable or is_asked))
    if is_asked and not found:
        return _as_asked(bare, scene)
    return found


def answer(
    question: str, reply: str, before: str, openers: fillers.Openers, scene: Scene
) -> Draft | None:
    """A statement out of a question and its short answer."""
    said = answers.whole(question, reply, before, scene.at)
    said = said or answers.whole(question, openers.strip(reply), before, scene.at)
    if not said:
        return None
    said = dates.resolve(speakers.expand(said), scene.at, future=False).text
    cast = speakers.Cast(scene.speaker, scene.other, _group(said, scene))
    return Draft(_finished(speakers.third(said, cast, past=False)), durable=True)


def _as_asked(text: str, scene: Scene) -> list[Draft]:
    """Whoever asks to remember something is believed: kept even where no rule knows its kind."""
    if not (scene.to_assistant or verdicts.is_statement(text)):
        return []
    if verdicts.content_words(text) < 1 or len(text.split()) < 2:
        return []
    said = dates.resolve(text.strip(" .!"), scene.at).text
    cast = speakers.Cast(scene.speaker, scene.other, _group(said, scene))
    return [Draft(_finished(speakers.third(said, cast, past=False)), durable=True, asked=True)]


def _draft(clause: str, scene: Scene) -> Draft | None:
    text = with_subject(_presented(clause.strip(" ,.!;:-–")))
    if not verdicts.is_statement(text):
        return None
    future = tense.is_ahead(text)
    dated = dates.resolve(text, scene.at)
    text = dated.text
    lead = _lead(text)
    core = text[len(lead) :]
    subject = _subject(core)
    addressed = len(re.findall(r"\byou(?:r|rs|rself)?\b", text, re.IGNORECASE))
    if subject in {"you", "none"} or addressed > (1 if scene.other else 0):
        return None
    if subject == "other" and _FRAGMENT.match(core) and not _FINITE.search(core):
        return None
    verdict = _verdict(core, subject, dated.found)
    if not verdict.kept:
        return None
    text = _near(text, dated.found, scene.at)
    text = _NARRATED.sub(_indefinite, text)
    text = _INDEFINITE.sub(_indefinite, re.sub(r"^[Tt]h(?:is|at) (?=[a-z])", "The ", text))
    cast = speakers.Cast(scene.speaker, scene.other, _group(text, scene))
    rewritten = speakers.third(text, cast, past=not future)
    pointing = subject == "pronoun" or dangles(re.sub(r"\([^()]*\)$", "", text))
    return Draft(_finished(rewritten), verdict.durable, pointing)


def _verdict(core: str, subject: str, dated: bool) -> verdicts.Verdict:
    if subject in {"first", "mine"}:
        return verdicts.judge(core, dated=dated)
    if subject == "pronoun" and _EMPTY_PRONOUN.match(core):
        return verdicts.DROP
    if (
        subject == "pronoun"
        and verdicts.content_words(core) >= 3
        and not fillers.is_evaluation(core)
    ):
        return verdicts.Verdict(True)
    if not _FIRST_PERSON.search(core) or fillers.is_evaluation(core):
        return verdicts.DROP
    return verdicts.judge_thing(core, dated=dated)


# "A reminder to follow my passions": no verb, no statement.
_FRAGMENT = re.compile(
    r"^(?:an?|another|such an?|just an?|the) (?:[\w-]+ ){1,3}(?:to|of|for) "
    r"\w+",
    re.IGNORECASE,
)
_EMPTY_PRONOUN = re.compile(
    r"^(?:that|this|these|those|here|there|what|who|such|so|everyone"
    r"|everything|nothing|none|one)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:I|me|my|mine|myself|we|us|our)\b", re.IGNORECASE)
_FRONT = re.compile(
    r"^(?:(?:on|in|at|during|after|before|when|while|since|as|for|with|because|whenever|every"
    r"|once|over|by|a few|a couple|some|around|due to"
    r"|two|three|several|recently|lately|currently|growing up|these days|nowadays|right now"
    r"|now|finally|eventually|sometimes|usually|if|to)\b[^.;!]{0,90}?,? )"
    r"(?=(?:I|we|my|our)\b)",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"^(?:it|its|this|that|these|those|they|their|he|she|his|her|them|there|here|one|both|such"
    r"|so|which|who|what|each|all of|some of|none|everyone|everything|nothing|neither)\b",
    re.IGNORECASE,
)
_MINE = re.compile(
    r"^(?:my|our|me and|all my|both my|both of my|one of my|some of my|the rest of my|an? "
    r"[\w-]+ of mine|someone I|half of my|most of my)\b",
    re.IGNORECASE,
)
_INDEFINITE = re.compile(
    r"\b((?:I|[Ww]e)(?: \w+ly| just| even| also| all)? (?:made|painted|drew|bought|wrote|got"
    r"|found|took|read|built|baked|cooked|saw|designed|created|finished|started|have made"
    r"|have got|have)) (this|that|these|those) (?!(?:after|when|because|for|to|in|at|last|with"
    r"|while|as|on|is|was|and|but|by|from|about|one)\b)(?=[a-z])()()"
)


def _subject(text: str) -> str:
    if re.match(r"(?:I|we)\b", text, re.IGNORECASE):
        return "first"
    if re.match(r"you(?:r|rs)?\b", text, re.IGNORECASE):
        return "you"
    if _MINE.match(text):
        return "mine"
    if _DETERMINED.match(text):
        return "other"
    if _PRONOUN.match(text):
        return "pronoun"
    return "none" if _SUBORDINATE.match(text) else "other"


# "The necklace is special to me", but not "the moments" or "this journey".
_DETERMINED = re.compile(
    r"^(?:this|that) (?!(?:is|was|has|one|makes?|made|will|would|day|year"
    r"|week|month|time|way|journey|pic|photo)\b)[a-z]\w+ (?:\w+ )?(?:is|was|has|helps|reminds"
    r"|stands|means)\b",
    re.IGNORECASE,
)
_SUBORDINATE = re.compile(
    r"^(?:since|when|while|because|as|if|after|before|whenever|although"
    r"|though|until|unless|almost|especially|like|just|than|to|for|with|from|of|in|at|on)\b",
    re.IGNORECASE,
)


def _lead(text: str) -> str:
    """What stands before the subject: "On 2024-05-01, ", "When I was ten, "."""
    clause = _FRONT_CLAUSE.match(text)
    if clause:
        return clause.group(0)
    match = _FRONT.match(text)
    return match.group(0) if match and not _SUBORDINATE_SUBJECT.match(text) else ""


_FRONT_CLAUSE = re.compile(
    r"^(?:since|when|while|because|as|if|after|before|whenever|although|though|once|until"
    r"|growing up|during|ever since)\b[^,]{0,90}, (?=(?:I|we|my|our)\b)",
    re.IGNORECASE,
)
_SUBORDINATE_SUBJECT = re.compile(
    r"^(?:ever |just )?(?:since|when|while|because|as|if|after"
    r"|before|whenever|although|though|once|until) (?:I|we|my|our)\b",
    re.IGNORECASE,
)


def _presented(text: str) -> str:
    """ "Here's a photo of my boat I built", "This boat I built floats" → "I built my boat"."""
    named = _APPOSITIVE.match(text)
    if named:
        return f"My {named['whom']} is called {named['name']}"
    shown = _SHOWN.match(text)
    if shown:
        return f"I {shown['verb']} {_some(shown['det'])}{shown['noun']}{shown['rest']}"
    made = _MADE.match(text)
    if made:
        what = f"{_some(made['det'])}{made['noun']}{made['when'] or ''}"
        return f"I {made['verb']} {what}, which {made['rest']}"
    return _FROM_WHEN.sub("", text)


_VERB = (
    r"(?:just |recently )?(?:did|made|painted|took|drew|wrote|bought|got|found|built|read"
    r"|designed|finished|created|baked|cooked|sewed|visited)"
)
_APPOSITIVE = re.compile(
    r"^(?:(?:I (?:do|have)|It is|This is|That's)(?: –)? "
    r")?(?P<name>[A-Z]\w+), my (?P<whom>(?:[\w-]+ ){0,2}[\w-]+)$"
)
_SHOWN = re.compile(
    r"^(?:here's|here is|here are|this is|that's|check out|take a look at|look at) (?:a |an "
    r"|one |some )?(?:(?:photos?|pics?|pictures?|peek|look|snap|shot) (?:of|at) )?"
    rf"(?P<det>my|an?|this|the|some|our|these|that) (?P<noun>(?:[\w-]+ ){{0,3}}[\w-]+) "
    rf"(?:that |which )?I (?P<verb>{_VERB})\b(?P<rest>.*)$",
    re.IGNORECASE,
)
_MADE = re.compile(
    rf"^(?P<det>this|that|these|those|the) (?P<noun>(?:[\w-]+ ){{0,2}}[\w-]+) (?:that |which "
    rf")?I (?P<verb>{_VERB})\b(?P<when> (?:yesterday|last \w+|this \w+|today|recently|in \w+"
    rf"|[\w ]+ ago))? (?P<rest>[a-z]+s? .*)$",
    re.IGNORECASE,
)
_FROM_WHEN = re.compile(
    r"^(?:here's|here is|this is|that's) (?:a |one )?(?:\w+ )?(?:pic|photo"
    r"|picture|one|shot|snap)?(?: of \w+)? ?from when (?=(?:I|we|my|our)\b)",
    re.IGNORECASE,
)


def _some(determiner: str) -> str:
    word = determiner.lower()
    return {"this": "a ", "that": "a ", "the": "a ", "these": "some ", "those": "some "}.get(
        word, f"{word} "
    )


_ELIDED_PAST = re.compile(
    rf"^(?P<adv>(?:just|finally|recently|already|also|actually|even|once|only|still) "
    rf")?(?P<verb>(?!had better|excited|impressed|thrilled|inspired|amazed|interested|worried"
    rf"|tired|touched|honou?red|blessed|relieved|pleased|loved"
    rf"|need)(?:{'|'.join(sorted(IRREGULAR_PAST))}|{PAST_ED}))"
    r" (?=(?:(?:up|out|down|off|on|over|back|away)\b ?)?(?:my|a|an|the|some|to|in|at|for|with"
    r"|from|that|this|these|up|new|lots|our|two|three|into|hitting|going|working|\w+ing|it"
    r"|them|him|her|by)\b)",
    re.IGNORECASE,
)
_FINITE = re.compile(
    r"\b(?:is|was|are|were|has|have|can|will|makes?|made|helps?|helped|means?|looks?|feels?"
    r"|lets?|gives?|gave|takes?|took|isn't|wasn't|brings?|brought|keeps?|seems?|sounds?|shows?"
    r"|needs?|would|could|should|really|\w+'s (?:a|the|so|been|always|\w+ing))\b"
)
_GERUND = re.compile(
    r"^(?P<adv>(?:just|still|also|currently|really|even|finally|always) "
    r")?(?P<verb>[A-Za-z]{2,}ing)\b(?!')(?! (?:my|our)? ?\w+ (?:is|was)\b)",
    re.IGNORECASE,
)


def with_subject(text: str) -> str:
    """ "Lost my job", "Gonna move", "Finishing my thesis": the left-out "I" put back."""
    lowered = text[:1].lower() + text[1:]
    if re.match(
        r"(?:just |still |also )?(?:going to|planning|thinking (?:of|about)|hoping to|about to)\b",
        lowered,
    ):
        return f"I am {lowered}"
    if re.match(
        r"(?:just |also |already |never |only )?been (?:only |just |\w+ly )?(?:to|in|into"
        r"|\w+ing|\w+ed|on)\b",
        lowered,
    ):
        return f"I have {lowered}"
    if re.match(
        r"(?:want to|have to|have got|used to|can't stand|cannot stand|never (?:had|got"
        r"|learned|liked))\b",
        lowered,
    ):
        return f"I {lowered}"
    if _ELIDED_PAST.match(lowered):
        return f"I {lowered}"
    gerund = _GERUND.match(lowered)
    if (
        gerund
        and gerund["verb"] not in _NOT_GERUND
        and not _FINITE.search(text)
        and not _SHARED.search(text)
    ):
        return f"I am {lowered}"
    return text


_SHARED = re.compile(r"\b(?:our|us|each other|ourselves|we|ours)\b", re.IGNORECASE)
_NOT_GERUND = words_of(
    """thing nothing something anything everything king ring spring string during sing bring
    wedding morning evening"""
)


def _near(text: str, dated: bool, at: datetime) -> str:
    """ "I just signed up" happened around that day; what is under way was so that month."""
    fresh = _FRESH.match(text)
    if fresh and (
        dated or verdicts.is_past_act(text) or not re.match(r"(?:I|we)\b", text, re.IGNORECASE)
    ):
        text = f"{fresh['who']} {fresh['have'] or ''}{text[fresh.end() :]}"
        return text if dated else f"{text.rstrip('.!')} (around {at.date()})"
    if not dated and _LATELY.search(text):
        return f"{text.rstrip('.!')} (as of {at:%B %Y})"
    if not dated and _UNDER_WAY.search(text):
        return f"{text.rstrip('.!')} (as of {at:%B %Y})"
    return text


_LATELY = re.compile(
    r"\b(?:recently|lately|currently|right now|these days|nowadays|so far|at the moment|next "
    r"few)\b",
    re.IGNORECASE,
)
_FRESH = re.compile(
    rf"^(?P<who>I|[Ww]e|[Mm]y (?:[\w'-]+ ){{0,3}}[\w'-]+) (?P<have>have |has )?(?:just"
    rf"|recently) (?!did\b|had\b)(?={'|'.join(sorted(IRREGULAR_PAST))}|been |{PAST_ED})"
)
_UNDER_WAY = re.compile(
    r"^(?:I|we) (?:am|are) (?:\w+ly |still |also |now )?(?:working on|looking (?:for|into)"
    r"|searching|thinking (?:about|of)|considering|planning|preparing|training|learning"
    r"|reading|writing|starting|finishing|creating|building|researching|studying|saving"
    r"|applying|trying to)\b"
    r"|^(?:I|we) have (?:\w+ly )?(?:been|known|had|lived|worked)\b.*\b(?:for"
    r"|since)\b.*\b(?:years?|months?|weeks?)\b",
)


# "I met this great guy", "help from this group I joined": the storyteller's "this" means "a".
_NARRATED = re.compile(
    r"\b(across|into|upon|from|with|at|to|by|met|found|saw|had|have|got|is|was|for|of|in|on) "
    r"(this) (?=(?:(?:really|super|very) )?"
    r"(?:amazing|awesome|cool|new|great|nice|huge|big|little|small|lovely|wonderful|crazy"
    r"|weird|old|beautiful|cute|local|incredible|fantastic|funny)\b)"
    r"|\b(across|into|upon|from|with|at|to) (this) (?!(?:and|but|or|to|is|was|has|so|for|with"
    r"|because|when|one|that)\b)(?=[\w/-]+ (?:[\w/-]+ ){0,3}(?:I|we|for"
    r"|that|who|called)\b)"
)


def _indefinite(match: re.Match[str]) -> str:
    before, pointer = match[1] or match[3], match[2] or match[4]
    if pointer in {"these", "those"}:
        return f"{before} some "
    following = match.string[match.end() : match.end() + 1]
    return f"{before} {'an' if following in 'aeiouAEIOU' else 'a'} "


def _group(text: str, scene: Scene) -> str:
    if _AT_WORK.search(text) and not re.search(
        r"\bwe (?:live|moved|bought|married)\b", text, re.IGNORECASE
    ):
        return f"{scene.speaker}'s team"
    if re.search(r"\b[Ww]e (?:got|are|are getting|got|have been|were) (?:married|engaged)\b", text):
        return f"{scene.speaker} and their partner"
    named = speakers.group_in(text) or scene.group
    return f"{scene.speaker} and {named}" if named else ""


_AT_WORK = re.compile(
    r"\b(?:ship|deploy\w*|release[sd]?|staging|invoices?|customers?|clients?|repo(?:sitory)?"
    r"|sprints?|stand-?ups?|production|database|servers?|CI|pipeline|budget|quarter|contract"
    r"|policy|migrat\w+|onboard\w*|tickets?|API|backlog|roadmap|on-call|incident|vendor"
    r"|suppliers?|payroll|Postgres\w*|Kubernetes|Slack|Jira|code reviews?|retro|rollout"
    r"|branch(?:es)?|tests?)\b",
    re.IGNORECASE,
)


def _finished(text: str) -> str:
    text = " ".join(text.split()).strip(" ,;:-")
    text = re.sub(r"(?<!^)(?<![.!?] )\bThe (?=user\b)", "the ", text)
    text = re.sub(r"\s+([,.;!])", r"\1", text).rstrip("!.… ")
    text = re.sub(r'\.(?="$)', "", text)
    return f"{text[:1].upper()}{text[1:]}."
