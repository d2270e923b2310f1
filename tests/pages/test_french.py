"""How values are written for people and in sentences, by examples worked out by hand."""

from __future__ import annotations

import pytest

from datasette_mouvements.dataset.coverage import Gap
from datasette_mouvements.dataset.stays import Succession
from datasette_mouvements.pages import french
from parlement_lists.movement import slug_of
from parlement_lists.tenure import Tenure


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Quoi ? Non ; si !", "Quoi\u202f? Non\u202f; si\u202f!"),
        ("ainsi : « oui » à 5 %", "ainsi\u00a0: «\u00a0oui\u00a0» à 5\u202f%"),
        ("https://exemple.fr/?a=b;c", "https://exemple.fr/?a=b;c"),
    ],
)
def test_signs_keep_to_the_word_before(text, written):
    assert french.typography(text) == written


@pytest.mark.parametrize(
    ("html", "written"),
    [
        ("<p>12 membres en 2024 au plus</p>", "<p>12\u00a0membres en 2024 au plus</p>"),
        ("<p><b>3</b>\n <abbr>an</abbr></p>", "<p><b>3</b>\u00a0<abbr>an</abbr></p>"),
        ("<p>1\u202f234 départs, 3 sur 8</p>", "<p>1\u202f234\u00a0départs, 3\u00a0sur 8</p>"),
        *(
            (same, same)
            for same in (
                "<pre>head -n 3 file</pre>",
                "<p>a <code>10 rows</code></p>",
                '<a title="3 mois">x</a>',
                "<td>3</td> <td>mois</td>",
                "<p>de 2017 à 2022</p>",
            )
        ),
    ],
)
def test_a_number_keeps_to_its_word_in_what_is_read(html, written):
    assert french.typeset(html) == written


def test_days_months_offices_and_numbers():
    assert french.day("2026-09-01") == "1ᵉʳ\u00a0septembre 2026"
    assert french.day("2026-09-14") == "14\u00a0septembre 2026"
    assert french.day("bientôt") == "bientôt"
    men = [french.role(chamber, "M.") for chamber in ("assemblee", "senat", "europarl")]
    assert men == ["député", "sénateur", "député européen"]
    week = [french.weekday(f"2026-09-{14 + number}").split()[0] for number in range(7)]
    assert week == "Lundi Mardi Mercredi Jeudi Vendredi Samedi Dimanche".split()
    assert french.gap(Gap("2026-01-12", "2026-02-23")) == (
        "pas de liste du 13\u00a0janvier au 22\u00a0février 2026"
    )
    assert french.gap(Gap("", "2026-02-23")) == "pas de liste avant le 23\u00a0février 2026"
    assert french.gap(Gap("2026-02-23", "")) == "pas de liste après le 23\u00a0février 2026"
    assert french.gap(Gap("", "")) == "pas de liste"
    two = [Gap("2026-04-13", "2026-04-27"), Gap("2026-04-30", "2026-06-02")]
    assert french.without_lists([]) == ""
    assert french.without_lists(two[:1]) == "sans liste du 14 au 26\u00a0avril 2026"
    assert french.without_lists(two) == (
        "sans liste du 14 au 26\u00a0avril 2026 et du 1ᵉʳ\u00a0mai au 1ᵉʳ\u00a0juin 2026"
    )
    # The longest three; all their days are 13 and 32 and twice 11 and 19.
    many = [*two, *(Gap(f"2026-0{month}-01", f"2026-0{month}-13") for month in (7, 8))]
    assert french.without_lists([*many, Gap("2026-09-01", "2026-09-21")]) == (
        "sans liste du 14 au 26\u00a0avril 2026, du 1ᵉʳ\u00a0mai au 1ᵉʳ\u00a0juin 2026,"
        " du 2 au 20\u00a0septembre 2026 et 2\u00a0autres fois, 86\u00a0jours en tout"
    )
    assert french.number(1234567) == "1\u202f234\u202f567"
    assert [french.number(value) for value in (14.5, 14.0, 1234.5)] == [
        "14,5",
        "14",
        "1\u202f234,5",
    ]
    assert french.counted(0, "départ") == "0\u00a0départ"
    assert french.counted(2, "est partie", "sont parties") == "2\u00a0sont parties"
    # A median of rates is rounded as they are, once.
    rates = {1 / 3: "33", 1 / 8: "13", (1 / 5 + 1 / 4) / 2: "23", 5 / 11: "45", 0.0: "0"}
    for rate, said in rates.items():
        assert french.share(rate) == f"{said}\u202f%"
    noon = "2026-09-14T10:05:00+00:00"
    assert french.instant(noon) == "14\u00a0septembre 2026 à 12\u00a0h\u00a005"


def test_the_first_of_a_month_is_raised_in_text_alone():
    page = '<title>1ᵉʳ mai</title><p title="1ᵉʳ mai">le 1ᵉʳ mai</p>'
    assert french.typeset(page) == page.replace("le 1ᵉʳ", "le 1<sup>er</sup>")


@pytest.mark.parametrize(
    ("kind", "confidence", "after", "written"),
    [
        ("depart", "bot", "2024-06-11", "12 juin 2024"),
        ("depart", "faible", "2024-06-03", "entre le 3 et le 12 juin 2024"),
        ("transfert", "faible", "2024-06-11", "vers le 12 juin 2024"),
        ("depart", "faible", "", "vers le 12 juin 2024"),
        ("arrivee", "moyen", "", "vers le 12 juin 2024"),
        ("arrivee", "moyen", "2024-06-11", "12 juin 2024"),
        ("arrivee", "fort", "", "12 juin 2024"),
        (
            "depart",
            "faible",
            "2024-06-11",
            "nom absent de la liste du 12 juin 2024, jour du départ inconnu",
        ),
    ],
)
def test_a_day_is_told_as_well_as_it_is_known(kind, confidence, after, written):
    row = {"type": kind, "confiance": confidence, "date_event": "2024-06-12"}
    told = french.when(row, after)
    assert told.text.replace("\u00a0", " ") == written
    assert told.exact is (written == "12 juin 2024")


def test_a_withdrawn_name_has_words_but_no_address():
    assert french.full_name(None, "") == french.WITHDRAWN
    assert slug_of(None, None) == ""


@pytest.mark.parametrize(
    ("listed", "told"),
    [
        ("Accredited assistants", "assistance accréditée"),
        ("Accredited assistants (grouping)", "assistance accréditée, contrat commun"),
        ("Local assistants", "assistance locale"),
        ("Collaboratrice parlementaire", ""),
        ("Accredited chefs", ""),
        (None, ""),
    ],
)
def test_a_function_listed_in_english_has_a_french_name(listed, told):
    assert french.in_french(listed) == told


@pytest.mark.parametrize(
    ("since", "until", "number"),
    [
        ("2021-09-01", "2022-09-01", 12),
        ("2021-09-01", "2022-08-31", 11),
        ("2024-01-31", "2024-02-29", 1),
        ("2024-01-15", "2024-02-14", 0),
        ("2020-02-29", "2026-03-01", 72),
    ],
)
def test_months_are_those_of_the_calendar(since, until, number):
    assert french.months(since, until) == number


def test_a_name_that_begins_with_a_vowel_is_elided():
    names = ("Océane", "Évariste", "Yves", "Jean", "Hector", "Yaël", "")
    said = ["d’Océane", "d’Évariste", "d’Yves", "de Jean", "de Hector", "de Yaël", "de "]
    assert [french.of(name) for name in names] == said


@pytest.mark.parametrize(
    ("end", "begin", "after", "there"),
    [
        (
            ("2026-02-23", "2026-03-03"),
            ("2026-03-08", "2026-03-15"),
            "6 à 19\u00a0jours après",
            "jusqu’au 23\u00a0février 2026 au moins, puis absent 6 à 19\u00a0jours",
        ),
        # Lists between hid the other member.
        (
            ("2026-03-02", "2026-03-03"),
            ("2026-02-23", "2026-03-03"),
            "entre le 23\u00a0février et le 3\u00a0mars 2026",
            "jusqu’au 2\u00a0mars 2026",
        ),
        (
            ("2026-03-02", "2026-03-03"),
            ("2026-03-02", "2026-03-03"),
            "le même jour",
            "jusqu’au 2\u00a0mars 2026",
        ),
    ],
)
def test_what_lies_between_two_stays_is_told_as_well_as_lists_tell_it(end, begin, after, there):
    ended = Tenure("col_1", "senat", "e1", fin_apres=end[0], fin=end[1])
    begun = Tenure("col_2", "senat", "e2", debut_apres=begin[0], debut=begin[1])
    one = Succession(ended, (begun,))
    assert french.days_after(one) == after
    assert french.already_there(one) == there
