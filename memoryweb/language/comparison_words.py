"""Word lists behind the comparison of statements. Lower case, without apostrophes."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FILLERS = _words(
    """a an the of to in on at for with and or by as is are am be been being was were do does did
    has have had having i me my mine we us our ours it its this that these those there here they
    them their theirs which who whom whose so very really just also too quite such then than
    well oh s re ve ll d m im ive id its thats"""
)
CJK_NEGATIONS = frozenset("不没沒無无未")
CJK_FILLERS = frozenset("的了是在和也就都很地得着はがをにへでとのもよねたすま")

SAME_PERSON = {"him": "he", "his": "he", "her": "she", "hers": "she", "your": "you", "yours": "you"}

NEGATIONS = _words(
    """not no never none nobody nothing neither nor cannot cant wont dont doesnt didnt isnt arent
    wasnt werent hasnt havent hadnt couldnt wouldnt shouldnt aint stopped quit"""
)
# Stems that come with a negation and say no more than it does.
ENDINGS = frozenset({"longer", "anymor", "ani", "more", "stop"})

MOODS = _words(
    """will would could should might may can must if unless maybe perhaps probably want wants
    wanted hope hopes hoped plan plans planned planning wish wishes consider considers considering
    try tries trying going gonna used almost nearly supposed"""
)

PAST = _words(
    """was were had did went made took got gave came saw met bought told said felt found left lost
    won wrote ran began brought taught thought kept spent grew knew became built drew fell flew
    heard held led paid rode sang sat sent slept sold spoke stood swam threw woke wore"""
)

NUMBERS = {
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
    "eleven": "11",
    "twelve": "12",
}

# Words that carry no matter of their own: two statements that differ in them only tell the same.
LIGHT = _words(
    """make makes made making keep keeps keeping help helps helping get gets getting got give gives
    giving take takes taking look looks looking start starts started starting work works working
    more most much lot lots lately recently currently still now always often actually finally
    definitely again already even maybe career job jobs thing things stuff way time try trying
    great good nice big huge important amazing awesome truly deeply kind bit able being out up
    continue continues continuing further farther longer both all some any every into keen
    interest interested passionate fan"""
)
