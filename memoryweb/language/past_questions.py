"""Whether somebody asks about what was: then what is over may answer, too."""

import re

_ASKS = re.compile(
    r"\b(?:used to|formerly|previous(?:ly)?|earlier|originally|back then|at first|in the past|once"
    r"|ago|old|ex|former|first|last (?:year|month|week|spring|summer|autumn|fall|winter)|histor\w+"
    r"|until|before|did|(?-i:was)|were|had|(?:19|20)\d\d)\b"
    r"|\b(?:früher\w*|vorher\w*|damals|ehemals|ehemalig\w*|ursprünglich|einst|einmal|zuerst|alte[nrs]?"
    r"|vor \w+ (?:jahr|monat|woche|tag)\w*|letzte[nsr]? (?:jahr|monat|woche)|bis wann|war(?:en|st)?"
    r"|hatte[nst]?|(?:hab|has|hat|habe|haben|bin|ist|sind)\b[^.?!]*\bge\w+(?:t|en))\b"
    r"|以前|之前|过去|从前|曾经|曾|原来|那时|当时|去年|上个月|上周|前年"
    r"|以前|昔|前は|前の|かつて|当時|去年|昨年|先月|先週|もともと|元々|(?:まし|だっ|でし|てい|[いきしちにみりっん])た(?:か|の|っけ)?[?？。]",
    re.IGNORECASE,
)


def asks_about_past(text: str) -> bool:
    return bool(_ASKS.search(text))
