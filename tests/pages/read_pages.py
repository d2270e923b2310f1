"""What a page says, sentence by sentence, and what it must say: those of no fact and of the frame are passed by."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator

# What says no fact of the lists: pictures (words beside them say the same), forms, sections for whoever is named.
_UNSEEN = re.compile(
    r"(?s)<(svg|form|pre)\b(?:(?!<\1\b).)*?</\1>|<section aria-labelledby=\"(?:corriger|droits|donnees)\".*?</section>"
)
# What is one sentence, whatever stands in it, and what a bar separates within one.
_SENTENCE = re.compile(r"(?s)<(title|h[1-4]|p|li|tr|caption|summary|figcaption)\b[^>]*>(.*?)</\1>")
_PART = re.compile(r"</(?:p|td|th|h3)>")
_LABEL = re.compile(r"<svg class=\"headcount\" role=\"img\" aria-label=\"([^\"]*)\"")
_DESCRIPTION = re.compile(r"<meta name=\"description\" content=\"([^\"]*)\"")
FIXED = set(
    """
Accueil
sur les listes
début ou fin dans cet intervalle
sur la dernière liste
déjà là sur la première liste
pas de liste connue
renouvellement ou dissolution
Méthode
Aucun n’est connu.
Rien n’a changé ici sur les listes connues.
Les autres sont dans le tableau.
Une fin de contrat a bien des raisons : contrat à durée déterminée, stage, concours, nouvel emploi, retraite, congé, choix de l’une ou de l’autre partie. Les listes ne disent pas laquelle. Ce chiffre ne permet de juger ni la personne élue ni son équipe.
Une fin de contrat a bien des raisons : contrat à durée déterminée, stage, concours, nouvel emploi, retraite, congé, choix de l’une ou de l’autre partie. Les listes ne disent pas laquelle. Ces chiffres ne permettent de juger ni les personnes élues ni leurs équipes.
Chez | Début | Fin
Mouvements des collaborateurs parlementaires
Qui travaille avec les parlementaires, depuis quand et jusqu’à quand, d’après les listes que publient l’Assemblée nationale, le Sénat et le Parlement européen.
Qui rejoint, qui quitte les équipes parlementaires
Les collaborations, liste après liste
La première et la dernière liste de chaque mois, chaque chambre à son échelle. Hachures : pas de liste connue pendant plus de 10 jours. Traits : renouvellements et dissolution. Toutes les listes, jour par jour.
La semaine, équipe par équipe
Les dates sont celles de la première liste qui montre le changement.
Semaine par semaine Groupe par groupe Tous les mouvements
Avec une clé gratuite, 1 000 demandes par jour à l’interface pour programmes. Tout est aussi en fichiers et flux.
Les listes n’ont pas d’identifiant : on suit un nom, dans la même chambre, et non là où des homonymes sont possibles ; une collaboration de sept jours ou moins ne compte pas. Un nom que les listes n’ont plus n’est pas forcément celui d’une personne sans emploi.
Toutes les équipes en tableau
Tous les groupes en tableau
Le nombre de transferts dépend de l’espacement des listes.
Ne sont comptés que les membres dont une liste a nommé l’équipe.
""".strip().splitlines()
)
# An expected sentence: one text, several of which one is said, or what may be said and need not.
Expected = str | tuple[str, ...]


class Possible(str):
    """A sentence that a page may say: true, but which of several it shows is not told by lists."""


def sentences(page: str) -> list[str]:
    """The sentences of a page without its frame, in order, with plain spaces; none stands outside of what is read."""
    head, _, rest = page.partition("<body")
    main = rest.partition("<main")[2].partition(">")[2].partition("</main>")[0]
    labels = [plain(label) for label in _LABEL.findall(main) + _DESCRIPTION.findall(head)]
    texts = [plain_text(found[2]) for found in _SENTENCE.finditer(head)]
    while (within := _UNSEEN.sub("", main)) != main:  # pictures stand within pictures
        main = within
    texts += [plain_text(found[2]) for found in _SENTENCE.finditer(main)]
    assert not re.sub(r"<[^>]*>|\s", "", _SENTENCE.sub("", main)), "words that no sentence has"
    return [text for text in labels + texts if text]


def wrong(page: Iterable[str], expected: Iterable[Expected]) -> Iterator[str]:
    """What a page says that is not so or not known here, and what it leaves out; names may stand in any order."""
    said = Counter(_ordered(text) for text in page if text not in FIXED)
    must: Counter[str] = Counter()
    for text in filter(None, expected):
        if isinstance(text, tuple):
            text = next((one for one in text if said[_ordered(one)] > must[_ordered(one)]), text[0])
        ordered = _ordered(text)
        must[ordered] = (
            max(said[ordered], must[ordered]) if isinstance(text, Possible) else must[ordered] + 1
        )
    yield from (f"not said: {text}" for text in must - said)
    yield from (f"said: {text}" for text in said - must)


def _ordered(text: str) -> str:
    """A text in small letters, because not all sources tell how a name is written, and what follows its last colon in one order."""
    head, colon, rest = text.lower().rpartition(" : ")
    return (
        head + colon + ", ".join(sorted(re.split(", | et ", rest.rstrip(".")))) if colon else rest
    )


def plain_text(inner: str) -> str:
    return plain(
        re.sub(r"<[^>]*>", "", re.sub(r"</?span\b[^>]*>|</a>(?=<a)", " ", _PART.sub(" | ", inner)))
    )


def plain(text: str) -> str:
    """Text with plain spaces, none before a stop, and one bar between cells."""
    text = re.sub(r"[\s\u00a0\u202f]+", " ", html.unescape(text).replace("ᵉʳ", "er"))
    return re.sub(r" (?=[.,)])|(?<=\() ", "", re.sub(r"( \|)+(?= |$)", " |", text).strip(" |"))
