"""The political groups of the European Parliament: one code for all names of a group."""

from __future__ import annotations

from ...movement import plain

# Code -> the group's name in French, then its other names. The codes are those of the lists of 2019 to
# 2022; a group that took another name is another group, as in these lists.
_GROUPS = {
    "EPP": (
        "Groupe du Parti populaire européen (Démocrates-Chrétiens)",
        "Group of the European People's Party (Christian Democrats)",
        "PPE",
    ),
    "S&D": (
        "Groupe de l'Alliance Progressiste des Socialistes et Démocrates au Parlement européen",
        "Group of the Progressive Alliance of Socialists and Democrats in the European Parliament",
    ),
    "PfE": ("Groupe Les patriotes pour l'Europe", "Patriots for Europe Group"),
    "ECR": (
        "Groupe des Conservateurs et Réformistes européens",
        "European Conservatives and Reformists Group",
    ),
    "Renew": ("Groupe Renew Europe", "Renew Europe Group"),
    "Greens/EFA": (
        "Groupe des Verts/Alliance libre européenne",
        "Group of the Greens/European Free Alliance",
        "Verts/ALE",
    ),
    "The Left": (
        "Le groupe de la gauche au Parlement européen - GUE/NGL",
        "Groupe de la gauche au Parlement européen - GUE/NGL",
        "The Left group in the European Parliament - GUE/NGL",
    ),
    "ESN": (
        "Groupe L'Europe des nations souveraines",
        "Europe of Sovereign Nations Group",
    ),
    "NI": ("Non-inscrits", "Non-attached Members"),
    "ID": ("Groupe Identité et démocratie", "Identity and Democracy Group"),
    "ALDE": (
        "Groupe Alliance des démocrates et des libéraux pour l'Europe",
        "Group of the Alliance of Liberals and Democrats for Europe",
        "ADLE",
    ),
    "GUE/NGL": (
        "Groupe confédéral de la Gauche unitaire européenne/Gauche verte nordique",
        "Confederal Group of the European United Left - Nordic Green Left",
    ),
    "EFDD": (
        "Groupe Europe de la liberté et de la démocratie directe",
        "Europe of Freedom and Direct Democracy Group",
    ),
    "ENF": ("Groupe Europe des Nations et des Libertés", "Europe of Nations and Freedom Group"),
}
_CODES = {plain(name): code for code, names in _GROUPS.items() for name in (code, *names)}


def group_code(name: str) -> str:
    """The code of a group by any of its names; the name itself if it is not known."""
    return _CODES.get(plain(name), name)


def group_name(code: str) -> str:
    """The full name in French; the code itself if it is not known."""
    return _GROUPS[code][0] if code in _GROUPS else code


def is_known(code: str) -> bool:
    return code in _GROUPS
