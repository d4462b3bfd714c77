"""English verb forms: just enough grammar to turn "I like" into "Ada likes"."""

import re


def words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


MODALS = words_of(
    """will would can could should might may must shall cannot won't wouldn't can't couldn't
    shouldn't mightn't mustn't didn't hadn't wasn't did had was"""
)
IRREGULAR_PAST = words_of(
    """ate became began bent bit blew bought bound broke brought built burnt came caught chose
    clung crept dealt did dreamt drank drew drove dug fed fell felt flew forgot forgave fought
    found froze gave got grew ground had heard held hid hung kept knew knelt laid lay leapt
    learnt led left lent lit lost made meant met mistook overcame paid ran rang rebuilt rode
    rose said sang sank sat saw sent sewed shook shone shot showed shrank slept slid sold
    spent spoke spun stole stood struck stuck sung swam swept swore taught thought threw told
    took tore undertook understood undid underwent was went were wept withdrew woke won wore
    wound wove wrote"""
)
SAME_PAST = words_of(
    """read put cut set let hit quit hurt bet cost shut split spread beat upset reset broadcast"""
)
_NOT_PAST = words_of("""need feed bleed breed speed proceed succeed exceed embed weed heed""")
_UNMARKED = words_of("""not never to and or but that if so as too""")
PAST_ED = (
    r"(?!(?:need|feed|indeed|speed|exceed|proceed|succeed|hundred|sacred|red"
    r"|bed)\b)[A-Za-z]{2,}ed"
)
# Words between a subject and its verb.
ADVERB = (
    r"(?:\w+ly|just|also|always|never|often|still|even|already|sometimes|now|once|ever|then|first"
    r"|soon|kind of|sort of|so|kinda|both|all|almost|100%)"
)
# Base forms that rarely are nouns, so that "and <verb>" surely continues the subject's predicate.
COORDINATED = words_of(
    """am have do love like hate prefer want live know think enjoy need try go take make get keep
    eat teach write read feel hope believe spend attend own wear sing bring buy sell send
    speak learn become begin volunteer avoid commute usually manage lead meet"""
)


def is_past(verb: str) -> bool:
    word = verb.lower()
    return word in IRREGULAR_PAST or (
        word.endswith("ed") and word not in _NOT_PAST and len(word) > 3
    )


def third_person(verb: str, *, past: bool = False) -> str:
    """The form that follows a name: have → has. `past` says how to read "read" and "put"."""
    word = verb.lower()
    special = {
        "am": "is",
        "are": "is",
        "have": "has",
        "haven't": "hasn't",
        "do": "does",
        "don't": "doesn't",
        "were": "was",
        "weren't": "wasn't",
        "aren't": "isn't",
    }
    if word in special:
        return special[word]
    if word in MODALS or word in _UNMARKED or is_past(word) or (past and word in SAME_PAST):
        return verb
    if not re.fullmatch(r"[a-z]+", word) or word.endswith("ing"):
        return verb
    if re.search(r"[^aeiou]y$", word):
        return verb[:-1] + "ies"
    if re.search(r"(?:s|x|z|ch|sh|[^o]o)$", word):
        return verb + "es"
    return verb + "s"
