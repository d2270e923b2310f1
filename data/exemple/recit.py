"""What `listes.py` tells and does not draw: days, seats, named members, and stays one by one."""

from __future__ import annotations

from datetime import date

FIRST, DAILY, LAST = date(2023, 11, 6), date(2026, 9, 7), date(2026, 11, 20)
# The lists of a chamber end here, where they end before LAST.
LATE = {"senat": date(2026, 11, 6)}
# The lists before and after more than ten days without one.
HOLES = {
    "assemblee": [(date(2024, 6, 7), date(2024, 7, 18)), (date(2025, 2, 3), date(2025, 4, 14))],
    "senat": [(date(2025, 5, 5), date(2025, 7, 28))],
    "europarl": [(date(2025, 12, 19), date(2026, 1, 19))],
}
REFUSED = ("assemblee", date(2026, 11, 17))
SEATS = {"assemblee": 90, "senat": 56, "europarl": 44}
IDENTIFIERS = {"assemblee": "PA9990{:02d}", "senat": "990{:02d}Z", "europarl": "9990{:02d}"}
# The terms of a chamber's seats; of the Sénat's, one half or the other.
TERMS: dict[str, list[list[tuple[date, date | None]]]] = {
    "assemblee": [[(date(2022, 6, 22), date(2024, 6, 9)), (date(2024, 7, 8), None)]],
    "senat": [
        [(date(2023, 10, 2), None)],
        [(date(2020, 10, 1), date(2026, 9, 30)), (date(2026, 10, 1), None)],
    ],
    "europarl": [[(date(2019, 7, 2), date(2024, 7, 15)), (date(2024, 7, 16), None)]],
}
# Groups of a new assembly form some days after it.
FORMED = {date(2024, 7, 8): date(2024, 7, 18)}
# Chamber, name, group and how many places are filled by chance beside the stays told below.
NAMED = (
    ("assemblee", "Océane Brindavoine-Lasalle", "HIR", 0),
    ("assemblee", "Zélie Courtebise", "CED", 0),
    ("assemblee", "Éloi Trébeurdenn", "GRA", 3),
    ("assemblee", "Barnabé Montclairvaux", "HIR", 3),
    ("assemblee", "Évariste Bellerive-Cœuron", "HIR", 3),
    ("assemblee", "Sidonie Clairembault", "CED", 9),
    ("assemblee", "Apolline Vertbuisson", "MAR", 3),
    ("assemblee", "Léopold d’Arguillères", "HIR", 3),
    ("assemblee", "Camille Rochebelette", "GRA", 4),
    ("assemblee", "Camille Rochebelette", "MAR", 2),
    ("assemblee", "Ignace Crocusard", "CED", 4),
    ("assemblee", "Aristide Butinard", "NI", 0),
    ("assemblee", "Ulysse Buissonnel", "GRA", 4),
    ("assemblee", "Gontran Azurain", "MAR", 3),
    ("assemblee", "Philomène Chantegrive", "CED", 4),
    ("senat", "Hermine Lacanaude", "CED", 3),
    ("senat", "Bérénice Haute-Sœur", "HIR", 2),
    ("senat", "Théophile Aubrepierre", "CED", 2),
    ("senat", "Gédéon Le Floc’halec", "GRA", 3),
    ("senat", "Eulalie D’Issoncelle", "CED", 2),
    ("europarl", "Balthazar Grandvœu", "AUR", 6),
    ("europarl", "Clotilde Îlemarais", "AUR", 4),
    ("europarl", "Gatien Prémontroy", "AUR", 3),
    ("europarl", "Désirée Müllenberg-Roy", "AUR", 5),
    ("europarl", "Eudes Fontvaillant", "AUR", 11),
    ("europarl", "Isidore L’Aigrefin", "AUR", 4),
    ("europarl", "Flavie Zénobin", "AUR", 3),
    ("europarl", "Honorine Esterelle", "AUR", 5),
    ("europarl", "Aubin Corvelande", "AUR", 2),
    ("europarl", "Edmée Tassigneul", "BOR", 4),
    ("europarl", "Firmin Vaucresson-Lys", "BOR", 3),
    ("europarl", "Garance Ploumanel", "BOR", 4),
    ("europarl", "Hippolyte d’Orgemont-Baux", "BOR", 6),
    ("europarl", "Joséphine Nantillac", "SUD", 3),
    ("europarl", "Léonce Quimperlois", "BOR", 0),
    ("europarl", "Maëlys Ravignan-Sault", "SUD", 3),
    ("europarl", "Octave Bréhaudier", "SUD", 5),
    ("europarl", "Rosemonde Thiézac", "SUD", 3),
)
# One contract of the first eighteen members: who, from when until when.
CONTRACTS = (
    ("Mme", "ROMPRÉ-DESAULNES", "Isaline", "2026-11-18", ""),
    ("Mme", "GALANTINE-ROCHEFEUILLE", "Théodora", "2024-09-02", "2026-10-01"),
)
# Chamber, member, civility, family and given name, function, first day, first day without; "" is outside the lists.
STAYS = """
assemblee|Océane Brindavoine-Lasalle|Mme|N’DARIAL|Perrine|Collaboratrice parlementaire||
assemblee|Océane Brindavoine-Lasalle|M.|ORMEVALLE|Louis-Ferréol|Collaborateur parlementaire|2024-07-10|
assemblee|Océane Brindavoine-Lasalle|Mme|HAUTECLOQUE-BIÈVREMONT|Anne-Sophie|Collaboratrice parlementaire||2024-03-26
assemblee|Océane Brindavoine-Lasalle|Mme|HAUTECLOQUE-BIÈVREMONT|Anne-Sophie|Collaboratrice parlementaire|2024-10-08|
assemblee|Océane Brindavoine-Lasalle|Mme|ÇELIKSOY|Wafa|Attachée parlementaire|2025-03-03|
assemblee|Océane Brindavoine-Lasalle|M.|L’ÉCUREUIL|Bastien|Collaborateur parlementaire|2026-11-18|
assemblee|Océane Brindavoine-Lasalle|Mme|BRUYÉROLLE|Clémence|Collaboratrice parlementaire|2024-10-14|2026-10-01
assemblee|Océane Brindavoine-Lasalle|M.|PAVILLONNAIS|Désiré|Collaborateur parlementaire|2025-03-10|2026-07-01
assemblee|Océane Brindavoine-Lasalle|Mme|VERVEINAC|Léa|Attachée parlementaire|2025-09-01|2026-03-02
assemblee|Océane Brindavoine-Lasalle|M.|GENÊTIÈRE|Côme|Collaborateur parlementaire|2024-07-15|2025-03-01
assemblee|Océane Brindavoine-Lasalle|Mme|FONTAINIÉRAC|Margaux|Collaboratrice parlementaire||2024-06-20
assemblee|Océane Brindavoine-Lasalle|M.|ROSSIGNOLEAU|Jérôme|Chef de cabinet||2024-06-20
assemblee|Océane Brindavoine-Lasalle|Mme|QUENOUILLARD-MERLET|Sabine|Collaboratrice parlementaire||2024-04-30
assemblee|Océane Brindavoine-Lasalle|Mme|TOURNESOLLE|Noémie|Collaboratrice parlementaire|2023-12-04|2024-02-05
assemblee|Barnabé Montclairvaux|Mme|QUENOUILLARD-MERLET|Sabine|Collaboratrice parlementaire|2025-10-06|2026-11-18
assemblee|Barnabé Montclairvaux|Mme|MARGUERITTEAU|Clémence|Collaboratrice parlementaire|2026-03-16|2026-11-18
assemblee|Barnabé Montclairvaux|M.|FONTAINIÉRAC|Aurélien|Collaborateur parlementaire|2026-11-18|
assemblee|Zélie Courtebise|Mme|BOISJOLIN|Ysé|Collaboratrice parlementaire|2024-09-02|2025-10-06
assemblee|Zélie Courtebise|Mme|LLANO-GARDEMOULIN|Ysé|Collaboratrice parlementaire|2025-10-06|
assemblee|Zélie Courtebise|M.|CHAMPFLEURON|Aristide|Collaborateur parlementaire||2026-11-09
assemblee|Zélie Courtebise|M.|CHAMPFLEURON|Aristide|Collaborateur parlementaire|2026-11-12|
assemblee|Éloi Trébeurdenn|M.|PETIT-FAUCONNET|Camille|Collaborateur parlementaire|2025-09-15|
assemblee|Léopold d’Arguillères|Mme|PETIT-FAUCONNET|Camille|Collaboratrice parlementaire||
assemblee|Éloi Trébeurdenn|M.|D’ORVILLETTE|Joël|Collaborateur parlementaire|2025-09-22|2026-11-20
assemblee|Éloi Trébeurdenn|Mme|ÇELIKSOY|Ondine|Collaboratrice parlementaire|2026-11-20|
assemblee|Sidonie Clairembault|Mme|NARCISSOT|Ségolène|Collaboratrice parlementaire||2026-11-16
assemblee|Évariste Bellerive-Cœuron|Mme|NARCISSOT|Ségolène|Collaboratrice parlementaire|2026-11-16|
assemblee|Évariste Bellerive-Cœuron|Mme|CHANTEPIERROT|Maëlle|Cheffe de cabinet|2025-05-05|
assemblee|Anatole Sansonneterre-Quillebœuf-Damiens|Mme|GALANTIÈRE|Soraya|Collaboratrice parlementaire|2026-10-26|2026-11-10
assemblee|Aristide Butinard|Mme|BALIVERNOIS|Chloé|Collaboratrice parlementaire|2024-09-09|
assemblee|Aristide Butinard|M.|CORIANDREAU|Rémi|Collaborateur parlementaire||
assemblee|Apolline Vertbuisson|Mme|SAULNERAC|Dominique|Collaboratrice parlementaire||
senat|Gédéon Le Floc’halec|M.|SAULNERAC|Dominique|Assistant parlementaire||
senat|Gédéon Le Floc’halec|M.|QUENOUILLARD|Côme|Assistant parlementaire|2024-11-04|2026-11-04
senat|Hermine Lacanaude|Mme|CHANTEPIERROT|Maëlle|Assistante parlementaire||2025-04-14
senat|Hermine Lacanaude|Mme|AULNEBOIS|Marie-Ève|Collaboratrice de sénateur||2026-11-05
senat|Théophile Aubrepierre|Mme|AULNEBOIS|Marie-Ève|Collaboratrice de sénateur|2026-11-05|
senat|Bérénice Haute-Sœur|Mme|HAUTECLOQUE-BIÈVREMONT|Anne-Sophie|Collaboratrice de sénateur|2024-04-08|2024-10-01
senat|Eulalie D’Issoncelle|M.|BOULEAUVERT|Raphaël|Assistant parlementaire||2026-11-06
senat|Eulalie D’Issoncelle|Mme|PERVENCHÈRE|Zoé|Collaboratrice de sénateur||2026-03-02
senat|Eulalie D’Issoncelle|Mme|CHANTELOUVE-NOIRET|Zoé|Collaboratrice de sénateur|2026-03-16|
europarl|Gatien Prémontroy|Mme|HAUTECLOQUE-BIÈVREMONT|Anne-Sophie|Accredited assistants|2025-01-15|
europarl|Flavie Zénobin|M.|VERVEINAC|Loïc|Local assistants|2026-11-16|
europarl|Clotilde Îlemarais|M.|HIRONDEAULT|François|Local assistants||
europarl|Eudes Fontvaillant|M.|HIRONDEAULT|François|Local assistants||
"""
# Who gives up a seat on a day, and who has it after: "" for somebody of no other mark.
SUCCESSIONS = {
    "Ignace Crocusard": (date(2026, 10, 11), "Anatole Sansonneterre-Quillebœuf-Damiens"),
    "Aristide Butinard": (date(2026, 11, 15), "Tiphaine Brugnonet"),
    "Ulysse Buissonnel": (date(2025, 6, 17), ""),
    "Gontran Azurain": (date(2025, 9, 30), ""),
    "Firmin Vaucresson-Lys": (date(2025, 10, 14), ""),
}
GROUP_CHANGES = {
    "Apolline Vertbuisson": ("NI", date(2026, 11, 17)),
    "Philomène Chantegrive": ("HIR", date(2025, 1, 15)),
    "Eulalie D’Issoncelle": ("MAR", date(2025, 10, 6)),
    "Joséphine Nantillac": ("BOR", date(2025, 11, 3)),
}
CORRECTIONS = """\
# Inventé, comme tout ce que listes.py écrit.
- {date: 2026-11-18, raison: "Demande d’effacement", masquer: {nom: "Sabine Quenouillard-Merlet"}}
- {date: 2026-11-16, raison: "Deux homonymes", homonymes: {nom: "Camille Petit-Fauconnet", elus: [%(homonym)s]}}
- {date: 2026-10-05, raison: "Nom d’usage", meme_personne: {noms: ["Zoé Pervenchère", "Zoé Chantelouve-Noiret"], chambre: senat}}
- date: 2026-11-18
  raison: Signalé par l’équipe
  ajouter: {date_event: 2026-11-02, chambre: assemblee, type: arrivee, collab_nom: AUBÉPINAC, collab_prenom: Rosalie, elu_id: %(added)s}
"""
