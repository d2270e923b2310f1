"""The invented names of `listes.py`, and the stays that it tells one by one."""

GIVEN = {
    "Mme": (
        *(
            "Adélaïde",
            "Agathe",
            "Anne-Sophie",
            "Apolline",
            "Aurore",
            "Bérénice",
            "Blandine",
            "Capucine",
        ),
        *("Céleste", "Chloé", "Clémence", "Clotilde", "Désirée", "Domitille", "Edmée", "Églantine"),
        *(
            "Élodie",
            "Eulalie",
            "Flavie",
            "Gaëlle",
            "Garance",
            "Héloïse",
            "Hermine",
            "Honorine",
            "Inès",
        ),
        *(
            "Isaure",
            "Joséphine",
            "Léa",
            "Ludivine",
            "Maëlle",
            "Maëlys",
            "Mahaut",
            "Marie-Ève",
            "Margaux",
        ),
        *("Noémie", "Océane", "Ondine", "Perrine", "Philomène", "Rosalie", "Rosemonde", "Sabine"),
        *(
            "Ségolène",
            "Sidonie",
            "Soraya",
            "Tiphaine",
            "Thècle",
            "Wafa",
            "Yseult",
            "Ysé",
            "Zélie",
            "Zoé",
        ),
    ),
    "M.": (
        *(
            "Ambroise",
            "Anatole",
            "Aristide",
            "Aubin",
            "Aurélien",
            "Balthazar",
            "Barnabé",
            "Bastien",
        ),
        *(
            "Benoît",
            "Casimir",
            "Côme",
            "Désiré",
            "Éloi",
            "Eudes",
            "Évariste",
            "Ferdinand",
            "Firmin",
        ),
        *("François", "Gaspard", "Gatien", "Gédéon", "Gontran", "Hippolyte", "Hyacinthe", "Ignace"),
        *(
            "Isidore",
            "Jérôme",
            "Joël",
            "Karim",
            "Léonce",
            "Léopold",
            "Loïc",
            "Louis-Ferréol",
            "Maximin",
        ),
        *(
            "Mehdi",
            "Octave",
            "Raphaël",
            "Rémi",
            "Théophile",
            "Timothée",
            "Tristan",
            "Ulysse",
            "Zacharie",
        ),
    ),
}
ROOTS = (
    *(
        "Aulne",
        "Aubier",
        "Aigue",
        "Ambre",
        "Argou",
        "Azur",
        "Balis",
        "Bardane",
        "Bleue",
        "Boise",
        "Brande",
    ),
    *(
        "Bruye",
        "Campa",
        "Carda",
        "Chélido",
        "Chante",
        "Clairi",
        "Cornou",
        "Courge",
        "Cytise",
        "Douve",
    ),
    *(
        "Églan",
        "Épine",
        "Fontaine",
        "Fougue",
        "Frêne",
        "Galan",
        "Garrigue",
        "Genê",
        "Girol",
        "Grive",
    ),
    *(
        "Haute",
        "Hironde",
        "Houlque",
        "Iri",
        "Jonque",
        "Laurie",
        "Lavande",
        "Lierre",
        "Lune",
        "Mélisse",
    ),
    *(
        "Merle",
        "Mousse",
        "Narcisse",
        "Neige",
        "Noise",
        "Orme",
        "Osier",
        "Ours",
        "Œillet",
        "Pavot",
        "Perven",
    ),
    *(
        "Pivoine",
        "Prune",
        "Quenouille",
        "Ravine",
        "Ronce",
        "Rossigne",
        "Sauge",
        "Serpole",
        "Sorbe",
        "Thori",
    ),
    *("Tourne", "Truffe", "Valériane", "Verveine", "Vigne", "Viorne"),
)
SUFFIXES = (
    *(
        "val",
        "mont",
        "court",
        "nac",
        "reau",
        "rault",
        "lière",
        "rolle",
        "dièze",
        "noux",
        "toise",
        "gnies",
    ),
    *("bert", "fort", "lande", "maison", "dois", "tignac"),
)
GROUPS = {
    "assemblee": (*("CED",) * 5, *("GRA",) * 4, *("HIR",) * 4, *("MAR",) * 3, "NI"),
    "senat": (*("CED",) * 4, *("GRA",) * 4, *("HIR",) * 3, *("MAR",) * 3, "NI"),
    "europarl": (*("AUR",) * 5, *("BOR",) * 4, *("SUD",) * 3, "NI"),
}
GROUP_NAMES = {
    "CED": ("Cèdre – Racines et territoires", "#2f7d4f"),
    "GRA": ("Granite – Ligne de crête", "#8b8f98"),
    "HIR": ("Hirondelle – Union du printemps", "#3b6fd4"),
    "MAR": ("Marée – Alliance des rivages", "#0f8fa3"),
    "AUR": ("Aurore – Europe du matin", "#d98a1f"),
    "BOR": ("Boréal – Groupe des confins", "#6a56c8"),
    "SUD": ("Sud – Arc méridional", "#c2503f"),
    "NI": ("Non-inscrits", ""),
}
ROLES = {
    "assemblee": (
        *("Collaborateur parlementaire",) * 7,
        "Attaché parlementaire",
        "Chef de cabinet",
    ),
    "senat": (*("Collaborateur de sénateur",) * 4, "Assistant parlementaire"),
    "europarl": (
        *("Accredited assistants",) * 4,
        *("Local assistants",) * 3,
        "Service providers",
        "Trainees",
    ),
}
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
assemblee|Zélie Courtebise|Mme|BOISJOLIN|Ysé|Collaboratrice parlementaire||2025-10-06
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
