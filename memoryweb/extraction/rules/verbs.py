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


class UnknownVerb(ValueError):
    """Whose form behind a name would be a guess: "retook", or no verb at all."""


# Whose third person is told by the rules of spelling.
_BASE = words_of(
    """accept achieve act adapt add admire admit adopt advise afford agree aim allow answer
    apologize appear apply appreciate argue arrange arrive ask assume attend avoid bake bathe
    be become begin behave believe belong bike blame blog blow book borrow bother brew bring
    build burn buy call calm camp cancel care carry catch celebrate change charge chat check
    cherish choose claim clean climb close coach code collect combine come commute compare
    compete complain complete concentrate consider consult contact continue contribute control
    cook cope copy count cover crave create cry cycle dance deal decide deliver depend deploy
    describe deserve design develop die dig disagree discover discuss dislike dive divide
    donate doubt draft draw dream dress drink drive drop dye earn eat edit encourage end enjoy
    enter escape exercise expect experience explain explore express face fail fall fear feed
    feel fight file fill film find finish fish fit fix fly focus follow forget forgive foster
    freelance freeze garden gather get give go graduate grade grow guess guide handle hang
    happen hate have head hear help hide hike hire hold hope host hug hunt hurry identify
    ignore imagine improve include inherit insist install intend interview invest invite join
    joke journal judge jump keep kick knit know lack laugh launch lay lead lean learn leave
    lend let lie lift like listen live loan lock look lose love maintain make manage march
    marry matter mean measure meditate meet memorize mend mentor mind miss moderate move need
    notice observe offer open operate order organise organize owe own pack paint park
    participate pass pay perform photograph pick plan plant play practice practise pray prefer
    prepare present print process produce promise promote propose protect prove provide
    publish pull push put raise reach read realise realize rebuild receive recommend recover
    recycle reduce refer refuse regret relate relax release rely remain remember remind
    remodel renew renovate rent repair replace reply report represent request rescue research
    resign rest restart restore return review ride rise row run sail save say scan schedule
    score search see seek seem sell send serve set settle sew share shave shine ship shoot
    shop show sign sing sit skate sketch ski skip sleep smell smile smoke sneeze snore solve
    sort sound speak specialise specialize spend sponsor stand start stay steal stick stop
    store stretch strive struggle study suffer suggest supervise supply support suppose surf
    suspect sweep swim switch take talk taste teach tell tend test thank think throw tie touch
    train translate travel treat trust try turn tutor type understand unwind update upgrade
    use value visit volunteer vote wait wake walk wander want wash waste watch water wear
    weigh welcome whip win wish wonder work worry worship wrap write yearn"""
)


def is_past(verb: str) -> bool:
    word = verb.lower()
    return word in IRREGULAR_PAST or (
        word.endswith("ed") and word not in _NOT_PAST and len(word) > 3
    )


def third_person(verb: str, *, past: bool = False) -> str:
    """The form that follows a name: have → has. `past` says how to read "read" and "put".

    Raises UnknownVerb.
    """
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
    if not word or word.endswith(("ing", "ly")):
        return verb
    if word not in _BASE and word not in SAME_PAST and word not in COORDINATED:
        raise UnknownVerb(word)
    if re.search(r"[^aeiou]y$", word):
        return verb[:-1] + "ies"
    if re.search(r"(?:s|x|z|ch|sh|[^o]o)$", word):
        return verb + "es"
    return verb + "s"
