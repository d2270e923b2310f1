"""The invented names of `listes.py`: pieces of names, groups and functions."""

GIVEN = {
    "Mme": """
Adélaïde Agathe Anne-Sophie Apolline Aurore Bérénice Blandine Capucine Céleste Chloé
Clémence Clotilde Désirée Domitille Edmée Églantine Élodie Eulalie Flavie Gaëlle Garance
Héloïse Hermine Honorine Inès Isaure Joséphine Léa Ludivine Maëlle Maëlys Mahaut Marie-Ève
Margaux Noémie Océane Ondine Perrine Philomène Rosalie Rosemonde Sabine Ségolène Sidonie
Soraya Tiphaine Thècle Wafa Yseult Ysé Zélie Zoé
""".split(),
    "M.": """
Ambroise Anatole Aristide Aubin Aurélien Balthazar Barnabé Bastien Benoît Casimir Côme
Désiré Éloi Eudes Évariste Ferdinand Firmin François Gaspard Gatien Gédéon Gontran Hippolyte
Hyacinthe Ignace Isidore Jérôme Joël Karim Léonce Léopold Loïc Louis-Ferréol Maximin Mehdi
Octave Raphaël Rémi Théophile Timothée Tristan Ulysse Zacharie
""".split(),
}
ROOTS = """
Aulne Aubier Aigue Ambre Argou Azur Balis Bardane Bleue Boise Brande Bruye Campa Carda
Chélido Chante Clairi Cornou Courge Cytise Douve Églan Épine Fontaine Fougue Frêne Galan
Garrigue Genê Girol Grive Haute Hironde Houlque Iri Jonque Laurie Lavande Lierre Lune
Mélisse Merle Mousse Narcisse Neige Noise Orme Osier Ours Œillet Pavot Perven Pivoine Prune
Quenouille Ravine Ronce Rossigne Sauge Serpole Sorbe Thori Tourne Truffe Valériane Verveine
Vigne Viorne
""".split()
SUFFIXES = """
val mont court nac reau rault lière rolle dièze noux toise gnies bert fort lande maison dois
tignac
""".split()
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
