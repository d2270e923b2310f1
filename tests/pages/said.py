"""What a page is held against: the sentences that it must say, those that it may, those of no fact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from .read_pages import Sentence

# Of sections that are the same for everybody.
FRAME = {"header", "footer", "corriger", "suivre", "droits", "reutiliser"}
FIXED = set(
    """
Accueil
Équipes
présence constatée sur les listes
pas de liste connue
début ou fin dans cet intervalle, jour exact inconnu
toujours sur la dernière liste
déjà là sur la première liste
fin ou début de mandat
cette équipe
médiane
une équipe du groupe
nombre d’équipes de la chambre
Où | Départs | Personnes | Part
Personne | Arrivée | Départ | Durée
Équipe | Chambre | Début | Fin | Durée
Tous les mouvements, par date
Les nombres en tableau : départs en douze mois
Périodes de travail auprès de parlementaires
Du plus récent au plus ancien
Les périodes, de la plus récente à la plus ancienne
Une ligne par personne. La date exacte d’un début ou d’une fin n’est connue que si l’on a la liste de la veille et celle du jour ; sinon la barre s’estompe sur l’intervalle possible.
Une fin de contrat a bien des raisons : contrat à durée déterminée, stage, concours, nouvel emploi, retraite, congé, choix de l’une ou de l’autre partie. Les listes ne disent pas laquelle. Ce chiffre ne permet de juger ni la personne élue ni son équipe.
« Entre le 3 et le 9 mars 2021 » : le nom est absent de la liste du 3, présent sur celle du 9, sans liste entre les deux. Une durée tient compte de cet intervalle.
Sous un nom, les équipes parlementaires où les listes le donnent, depuis quand et jusqu’à quand, et les mouvements.
Les listes ne disent rien de ce qui se passe entre deux périodes.
""".strip().splitlines()
)


class Possible(str):
    """A sentence that a page may say: true, but which of several it shows is not told by lists."""


class Said:
    """The sentences of one page, section by section; an empty one is none."""

    def __init__(self, sections: dict[str, Iterable[str]]) -> None:
        self._must: Counter[Sentence] = Counter()
        self._may: set[Sentence] = set()
        for section, texts in sections.items():
            for text in filter(None, texts):
                if isinstance(text, Possible):
                    self._may.add(Sentence(section, str(text)))
                else:
                    self._must[Sentence(section, text)] += 1

    def wrong(self, page: Iterable[Sentence]) -> list[str]:
        """What a page says that is not so or not known here, and what it leaves out."""
        said = Counter(one for one in page if not self._passes(one))
        left, more = self._must - said, said - self._must
        return [f"not said: [{one.section}] {one.text}" for one in left] + [
            f"said: [{one.section}] {one.text}" for one in more
        ]

    def _passes(self, one: Sentence) -> bool:
        return one.section in FRAME or one.text in FIXED or one in self._may
