"""What is said about a password in one word, so that the word is hardly one itself. Pure."""

import re

_ENDINGS = re.compile(r"\w+(?:ed|ing|ly|able|ible|less|ous|ive|ated|ten|word|words|ment|tion|ness)")
_SAID = frozenset(
    re.findall(
        r"\w+",
        """
        about above absent access account active admin after again ago alone already also always
        anyone april august away back bad below best better between bitte both broken browser brief
        bring busy call case chaos check clear clever code common complete complex correct could
        current daily december default desk different difficult digits directly done drawer during
        each early easy either email elsewhere empty enough every exact false february fine first
        folder forever forgot forgotten fresh friday from generic given gone good group guest half
        handy hard hash hello here hers high hint history home hope however identical impossible
        inside into invalid inside january july june just kaputt keeper kept know known last later
        left legacy length less letter letters like local login long longer lost main manager march
        maybe mine missing monday month more most much must myself name necessary never next nobody
        normal nothing november number numeric october often okay once only open other others ours
        outdated over owner paper part parts patience person phone plain please plus point present
        private prompt public question rather ready reset right root round safe same saturday scope
        secure security seen sent september server several shall short should show silence similar
        simple simplest since single sometimes somewhere soon special spelled spelling stale static
        still strange strict strong such sunday symbol symbols system team terrible text that then
        there therefore these they thing things this those though three through thursday time today
        together tomorrow tough trust tuesday twice twofold under unclear unique unknown until upper
        urgent useful user valid variable vault very visible void wasn weak wednesday week were what
        when where whether which while whole whose will with within without wrong year yellow
        yesterday yours zero geheim falsch richtig sicher unbekannt vergessen leer neu alt lang kurz
        schwach stark morgen heute gestern siehe steht liegt beim unter oben unten nicht keine immer
        nirgends zettel english german french spanish chinese japanese temporary perfect incorrect
        annoying boring funny ugly nice cool weird beautiful cheap expensive personal mobile digital
        incorrecta falsa correcta segura nueva vieja larga corta desconocida vacía secreta olvidada
        aquí allí
        """,
    )
)


def is_about_it(word: str) -> bool:
    """`expired`, `on`, `wrong`: a word that tells about a password, by its form or by itself."""
    folded = word.casefold()
    return folded in _SAID or bool(_ENDINGS.fullmatch(folded))
