"""English stems by Snowball, from any thread."""

from threading import Lock

import snowballstemmer

_STEMMER = snowballstemmer.stemmer("english")
_ONE_AT_A_TIME = Lock()  # it keeps the word that it is at


def stem(word: str) -> str:
    with _ONE_AT_A_TIME:
        stemmed: str = _STEMMER.stemWord(word)
    return stemmed
