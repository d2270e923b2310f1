"""The tables `equipes` and `groupes`, each case small enough to be worked out by hand beside it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from datasette_mouvements.dataset import schema
from datasette_mouvements.dataset.figures import GROUPS_UNKNOWN, TOO_FEW
from parlement_lists.dates import add_days
from parlement_lists.movement import Movement
from parlement_lists.tenure import Tenure
from tests.published import write

# The year of the last list is 2025-09-21 to 2026-09-20.
FIRST, LAST = "2024-01-01", "2026-09-20"
ADA, BEA, CLEO, DINA, EVE = "Ada UN", "Béa DEUX", "Cléo TROIS", "Dina QUATRE", "Eve CINQ"


class Chamber:
    """A file of stays at the Sénat, in lists at most ten days apart but for the holes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.first, self.last = FIRST, LAST
        self.holes: list[tuple[str, str]] = []  # the days of the lists before and after
        self.mandates: list[tuple[str, str, str]] = []
        self.memberships: list[tuple[str, str, str, str]] = []
        self.gone: list[str] = []  # movements with contexte elu_sortant

    def build(self, *stays: Tenure) -> sqlite3.Connection:
        """The file of these stays, as `build` writes it."""
        codes = {stay.elu_groupe for stay in stays} | {code for _, code, *_ in self.memberships}
        tables = {
            "listes": [
                (f"senat/{day}", "senat", day, "acceptee", "", "", 1, 0, 0, 0, None)
                for day in self._days()
            ],
            schema.TENURES: [[value or None for value in stay] for stay in stays],
            schema.MANDATES: [("senat", *mandate) for mandate in self.mandates],
            schema.MEMBERSHIPS: [("senat", *membership) for membership in self.memberships],
            schema.GROUPS: [
                ("senat", code, f"Groupe {code}", "", "2020-01-01", "")
                for code in sorted(codes - {"", "AUCUN"})
            ],
        }
        movements = [
            Movement(id, "2026-01-01", "senat", "depart", contexte="elu_sortant")
            for id in self.gone
        ]
        write(self.path, [("gone", enumerate(movements))], tables)
        db = sqlite3.connect(self.path)
        db.row_factory = sqlite3.Row
        return db

    def read(self, sql: str, *stays: Tenure) -> list[tuple[object, ...]]:
        """What a query finds in the file of these stays."""
        with closing(self.build(*stays)) as db:
            return [tuple(row) for row in db.execute(sql)]

    def team(self, *stays: Tenure) -> sqlite3.Row:
        """The row of member A."""
        with closing(self.build(*stays)) as db:
            return db.execute("select * from equipes where elu_id = 'A'").fetchone()

    def counts(self, *stays: Tenure) -> dict[str, tuple[int, int] | str]:
        """How many worked in each team and group, and left; or why that is not counted."""
        rows = self.read(
            """
            select elu_id, ayant_travaille, parties, pourquoi from equipes
            union all select groupe, ayant_travaille, parties, pourquoi from groupes
            """,
            *stays,
        )
        return {name: reason or (people, left) for name, people, left, reason in rows}

    def _days(self) -> Iterator[str]:
        if not self.last:
            return
        edges = {day for hole in self.holes for day in hole}
        day = self.first
        while day < self.last:
            if not any(before < day < after for before, after in self.holes):
                yield day
            following = min(add_days(day, 10), self.last)
            day = min([edge for edge in edges if day < edge < following], default=following)
        yield self.last


@pytest.fixture
def chamber(tmp_path: Path) -> Chamber:
    return Chamber(tmp_path / "movements.db")


def stay(
    person: str,
    debut: str = FIRST,
    fin: str = "",
    member: str = "A",
    group: str = "G",
    ends: str = "",
    listed: str = LAST,
) -> Tenure:
    """A stay of one person; `ends` is the movement that ends it, `listed` the last list that has it."""
    given, _, family = person.partition(" ")
    return Tenure(
        f"col_{member}{person}{debut}",
        "senat",
        elu_id=member,
        elu_nom=f"Élue {member}",
        elu_groupe=group,
        collab_nom=family,
        collab_prenom=given,
        debut=debut,
        debut_apres="" if debut == FIRST else FIRST,
        fin=fin,
        fin_apres=add_days(fin, -1) if fin else listed,
        mouvement_fin=ends or (f"mvt_{person}{fin}" if fin else ""),
    )


TEAM = (stay(ADA), stay(BEA), stay(CLEO))


def test_a_team_has_its_last_list_its_year_and_who_left_of_all_there(chamber: Chamber) -> None:
    # Ada, Béa and Cléo are there since the first list, 993 days before; Dina came in the year and left: 1 of 4.
    row = chamber.team(*TEAM, stay(DINA, "2026-01-05", "2026-03-01"))
    assert dict(row) == {
        "chambre": "senat",
        "elu_id": "A",
        "elu_cle": None,
        "elu_nom": "Élue A",
        "elu_groupe": "G",
        "mandat_debut": None,
        "mandat_fin": None,
        "presents": 3,
        "liste": LAST,
        "depuis": "2025-09-21",
        "jusqua": LAST,
        "ayant_travaille": 4,
        "parties": 1,
        "presence_mediane": 993,
        "pourquoi": None,
    }


@pytest.mark.parametrize(
    ("debut", "fin", "counts"),
    [
        (FIRST, "2025-09-20", (3, 0)),  # left on the last day of the year before
        (FIRST, "2025-09-21", (4, 1)),  # on the first day: a departure has the day of its list
        (FIRST, "2026-09-20", (4, 1)),  # on the last day
        ("2026-09-20", "", (4, 0)),  # came on the last day
    ],
)
def test_a_departure_is_of_the_year_that_has_its_day(
    chamber: Chamber, debut: str, fin: str, counts: tuple[int, int]
) -> None:
    assert chamber.counts(*TEAM, stay(DINA, debut, fin)) == {"A": counts, "G": counts}


@pytest.mark.parametrize(
    ("hole", "days"),
    [
        (("2025-09-10", "2025-12-02"), "11 septembre au 1er décembre 2025"),
        (("2025-09-10", "2025-09-29"), "11 au 28 septembre 2025"),
        (("2025-09-10", "2026-01-02"), "11 septembre 2025 au 1er janvier 2026"),
    ],
)
def test_in_a_year_that_begins_in_a_hole_nothing_is_counted_and_the_hole_is_the_reason(
    chamber: Chamber, hole: tuple[str, str], days: str
) -> None:
    # One of four left, in this year or before it.
    chamber.holes = [hole, ("2026-01-05", "2026-02-01")]
    reason = f"Pas de liste du {days}."
    counts = chamber.counts(*TEAM, stay(DINA, FIRST, hole[1]), stay(EVE, member="B"))
    assert counts == {"A": reason, "B": reason, "G": reason}
    # One within the year hinders nothing.
    chamber.holes = chamber.holes[1:]
    assert chamber.counts(*TEAM, stay(DINA, FIRST, "2026-02-01"))["A"] == (4, 1)


def test_nothing_is_counted_before_the_first_list_or_without_lists(chamber: Chamber) -> None:
    chamber.first = "2026-01-01"
    assert chamber.counts(*TEAM)["A"] == "Pas de liste avant le 1er janvier 2026."
    chamber.last = ""
    row = chamber.team(*TEAM)
    assert tuple(row)[7:] == (0, None, None, None, None, None, None, "Pas de liste.")


def test_at_a_renewal_only_those_whose_member_stayed_have_left(chamber: Chamber) -> None:
    # A is re-elected: Béa leaves her, Ada and Cléo stay, 1 of 3. B is not: Dina and Eve go with her,
    # Flo had left her before: 1 of 3. C is new and has engaged Gil in July. The group: Béa and Flo
    # of the 7 (Ada, Béa, Cléo, Dina, Eve, Flo, Gil).
    day = "2026-07-01"
    chamber.gone = [f"mvt_{DINA}{day}", f"mvt_{EVE}{day}"]
    counts = chamber.counts(
        *(stay(ADA), stay(BEA, FIRST, day), stay(CLEO)),
        *(stay(DINA, FIRST, day, "B"), stay(EVE, FIRST, day, "B")),
        *(stay("Flo SIX", FIRST, "2026-02-01", "B"), stay("Gil SEPT", day, "", "C")),
    )
    assert counts == {"A": (3, 1), "B": (3, 1), "C": TOO_FEW, "G": (7, 2)}


def test_who_came_back_has_not_left_and_the_last_end_is_what_counts(chamber: Chamber) -> None:
    away = stay(DINA, FIRST, "2025-12-01")
    # Back in February, and there: 0 of 4. Gone again in June: once, 1 of 4.
    assert chamber.counts(*TEAM, away, stay(DINA, "2026-02-01"))["A"] == (4, 0)
    again = stay(DINA, "2026-02-01", "2026-06-01", ends="mvt_again")
    assert chamber.counts(*TEAM, away, again)["A"] == (4, 1)
    # In June the member's mandate ended: she did not leave the member, 0 of 4.
    chamber.gone = ["mvt_again"]
    assert chamber.counts(*TEAM, away, again)["A"] == (4, 0)


def test_staff_shared_in_a_group_are_one_person_and_leave_with_the_last(chamber: Chamber) -> None:
    # Dina works for A and B, of one group, and leaves A: she left A (1 of 4), not B (0 of 3), not
    # the group: 0 of the 6 (Ada, Béa, Cléo, Dina, Eve, Flo).
    others = (*TEAM, stay(EVE, member="B"), stay("Flo SIX", member="B"))
    left = stay(DINA, FIRST, "2026-03-01")
    counts = chamber.counts(*others, left, stay(DINA, member="B"))
    assert counts == {"A": (4, 1), "B": (3, 0), "G": (6, 0)}
    # She leaves both on one day, B because B's mandate ended: A had stayed, so 1 of 6.
    chamber.gone = ["mvt_b"]
    counts = chamber.counts(*others, left, stay(DINA, FIRST, "2026-03-01", "B", ends="mvt_b"))
    assert counts == {"A": (4, 1), "B": (3, 0), "G": (6, 1)}


def test_who_changes_member_leaves_the_team_and_the_group_if_another_s(chamber: Chamber) -> None:
    # Dina goes from A (group G) to B (group G), Eve from A to C (group H). A: 2 of 5 left. G: Eve of
    # the 5. H: Eve alone, nothing.
    day = "2026-03-01"
    counts = chamber.counts(
        *TEAM,
        *(stay(DINA, FIRST, day, "A"), stay(DINA, day, "", "B")),
        *(stay(EVE, FIRST, day, "A"), stay(EVE, day, "", "C", "H")),
    )
    assert counts == {"A": (5, 2), "B": TOO_FEW, "C": TOO_FEW, "G": (5, 1), "H": TOO_FEW}


def test_of_one_person_or_two_nothing_is_counted(chamber: Chamber) -> None:
    assert chamber.counts(stay(ADA, FIRST, "2026-03-01"))["A"] == TOO_FEW
    # Two stays of one person are one person.
    twice = (stay(BEA, FIRST, "2025-12-01"), stay(BEA, "2026-03-01"))
    assert chamber.counts(stay(ADA), *twice)["A"] == TOO_FEW
    # Each stay with a withheld name is a person: two are there, one left, 1 of 4.
    masked = [stay("", "2025-01-01"), stay("", "2025-01-02"), stay("", "2025-01-03", "2026-03-01")]
    assert chamber.counts(stay(ADA), *masked)["A"] == (4, 1)


def test_whoever_is_missing_for_some_days_has_not_left_and_is_not_present(chamber: Chamber) -> None:
    row = chamber.team(*TEAM, stay(DINA, listed="2026-09-17"))
    assert (row["ayant_travaille"], row["parties"], row["presents"]) == (4, 0, 3)


@pytest.mark.parametrize(
    ("begun", "median"),
    [
        (["2026-09-10", "2026-08-21", "2026-08-31"], 20),
        (["2026-09-10", "2026-08-21"], 20),  # between 10 and 30
        ([FIRST, "2026-08-21"], 511.5),  # 993 days since the first list
        ([], None),
    ],
)
def test_presence_is_the_median_of_the_days_of_those_on_the_last_list(
    chamber: Chamber, begun: list[str], median: float | None
) -> None:
    here = [stay(person, day) for person, day in zip((ADA, BEA, CLEO), begun, strict=False)]
    row = chamber.team(*here, stay(DINA, "2026-01-01", "2026-03-01"))
    assert row["presence_mediane"] == median
    assert row["presents"] == len(begun)


def test_a_mandate_that_ended_has_its_end_last_group_and_nobody_present(chamber: Chamber) -> None:
    # A's staff is on the last list still; the mandate ended a day before it.
    chamber.mandates = [("A", "2017-10-02", "2023-10-01"), ("A", "2023-10-02", "2026-09-19")]
    row = chamber.team(*TEAM)
    assert (row["mandat_debut"], row["mandat_fin"]) == ("2023-10-02", "2026-09-19")
    assert (row["elu_groupe"], row["presents"], row["presence_mediane"]) == ("G", 0, None)
    assert (row["ayant_travaille"], row["parties"]) == (3, 0)
    assert chamber.read("select membres, presents from groupes", *TEAM) == [(0, 0)]
    assert chamber.read(
        "select json_extract(cast(json as text), '$.equipe') from _lignes_elus", *TEAM
    ) == [(0,)]


def test_a_member_sits_in_the_group_of_the_day_of_the_last_list(chamber: Chamber) -> None:
    # B had staff in the group G, has nobody now, and is of H, of which G has not told; C has left every group.
    chamber.mandates = [(member, "2023-10-02", "") for member in "ABC"]
    chamber.mandates.append(("A", "", "2017-09-30"))  # begun on a day that nobody knows
    chamber.memberships = [
        ("B", "G", "2023-10-02", ""),
        ("B", "H", "2026-09-01", ""),
        ("C", "AUCUN", "2023-10-02", ""),
    ]
    ended = [stay(DINA, FIRST, "2026-08-01", member) for member in "BC"]
    teams = "select elu_id, elu_groupe, mandat_debut, mandat_fin from equipes order by 1"
    assert chamber.read(teams, *TEAM, *ended) == [
        (*of, "2023-10-02", None) for of in (("A", "G"), ("B", "H"), ("C", None))
    ]
    groups = "select groupe, nom, debut, fin, membres, presents from groupes"
    assert chamber.read(groups, *TEAM, *ended) == [
        ("G", "Groupe G", "2020-01-01", None, 1, 3),
        ("H", "Groupe H", "2020-01-01", None, 1, 0),
    ]


def offices(*rates: tuple[str, str, int, int]) -> list[Tenure]:
    """The stays of teams (member, group, who left, people)."""
    return [
        stay(f"Une{member} N{n}", FIRST, "2026-03-01" if n < left else "", member, group)
        for member, group, left, people in rates
        for n in range(people)
    ]


def test_the_median_of_a_group_is_that_of_its_teams_which_are_counted(chamber: Chamber) -> None:
    # G: 0/4, 1/4, 3/4, and two people of whom nothing is told: 1/4. H: 1/4 and 2/4, between them 3/8.
    # No team of K is large enough.
    stays = offices(
        *(("A", "G", 0, 4), ("B", "G", 1, 4), ("C", "G", 3, 4), ("D", "G", 2, 2)),
        *(("E", "H", 1, 4), ("F", "H", 2, 4), ("K", "K", 0, 2)),
    )
    medians = chamber.read("select groupe, part_mediane from groupes", *stays)
    assert medians == [("G", 0.25), ("H", 0.375), ("K", None)]


def test_a_team_counts_in_the_median_of_its_latest_group_alone(chamber: Chamber) -> None:
    # Dina left A in March, when A was of G; A is of H since: 1 of 4, in H.
    dina = stay(DINA, "2025-10-01", "2026-03-01")
    stays = (*(one._replace(elu_groupe="H") for one in TEAM), dina)
    rows = chamber.read("select groupe, membres, part_mediane from groupes", *stays)
    assert rows == [("G", 0, None), ("H", 1, 0.25)]


def test_groups_are_counted_where_that_of_half_of_the_teams_is_known(chamber: Chamber) -> None:
    half = [*TEAM, stay(DINA, member="B", group="")]
    assert chamber.counts(*half)["G"] == (3, 0)
    assert chamber.counts(*half, stay(EVE, member="C", group=""))["G"] == GROUPS_UNKNOWN


def test_pages_of_a_chamber_and_a_group_read_rows_by_name_by_an_index(chamber: Chamber) -> None:
    names = {"A": "Zoé ZOLA", "B": "Ève ÉLIAOU", "C": "Anne MARTIN"}
    stays = [
        stay(ADA, member=id)._replace(
            elu_nom=name, elu_cle=" ".join(reversed(name.lower().split()))
        )
        for id, name in names.items()
    ]
    with closing(chamber.build(*stays)) as db:
        rows = db.execute("select elu_id from equipes order by rowid")
        assert [id for (id,) in rows] == ["B", "C", "A"]
        for where, index in (
            ("equipes where chambre = 'senat' order by rowid", "idx_equipes_chambre"),
            (
                "equipes where chambre = 'senat' and elu_groupe = 'G' order by rowid",
                "idx_equipes_chambre_elu_groupe",
            ),
            ("equipes where chambre = 'senat' and elu_id = 'A'", "sqlite_autoindex_equipes_1"),
            ("groupes where chambre = 'senat' order by groupe", "sqlite_autoindex_groupes_1"),
        ):
            [step] = db.execute(f"explain query plan select * from {where}")
            assert f"using index {index} (" in step["detail"].lower()


@pytest.mark.parametrize(
    ("since", "lists", "last_day"),
    [
        ("2022-06-22", ("2022-07-01", "2024-06-08", "2024-06-12"), "2024-06-09"),
        ("2017-06-21", ("2017-07-01", "2022-06-08", "2022-06-25"), "2022-06-21"),
    ],
)
def test_an_open_mandate_ended_with_its_assembly_and_has_the_group_of_that_day(
    tmp_path: Path, since: str, lists: tuple[str, str, str], last_day: str
) -> None:
    """On the day of its dissolution, or on that before the next assembly began."""
    first, listed_on, lacking = lists
    of_member = ("assemblee", "PA1")
    listed = stay(ADA, first, member="PA1", group="LREM", listed=listed_on)
    tables = {
        "listes": [
            (f"assemblee/{day}", "assemblee", day, "acceptee", "", "", 1, 0, 0, 0, None)
            for day in lists
        ],
        schema.TENURES: [[v or None for v in listed._replace(chambre="assemblee", fin=lacking)]],
        schema.MANDATES: [(*of_member, since, "")],
        schema.MEMBERSHIPS: [(*of_member, "REN", first, "")],
    }
    write(tmp_path / "movements.db", [], tables)
    with closing(sqlite3.connect(tmp_path / "movements.db")) as db:
        [(until, line)] = db.execute("select fin_apres, json from _lignes_elus")
        assert json.loads(line)["mandats"] == [{"debut": since, "fin": last_day}]
        [(line,)] = db.execute("select json from _lignes_collaborations")
        assert until == json.loads(line)["mandat_fin"] == last_day
        teams = db.execute("select mandat_fin, elu_groupe from equipes").fetchall()
        assert teams == [(last_day, "REN")]


@pytest.mark.parametrize(
    ("mandates", "known"),
    [
        ([("2017-10-02", "")], "2023-10-01"),
        # One that ended says nothing of a later one.
        ([("2017-10-02", "2023-09-29"), ("2025-01-10", "")], ""),
    ],
)
def test_of_an_open_mandate_that_no_list_confirms_since_a_renewal_no_day_after_it_is_known(
    tmp_path: Path, mandates: list[tuple[str, str]], known: str
) -> None:
    listed = stay(ADA, "2023-09-01", listed="2023-09-30")
    tables = {
        "listes": [
            (f"senat/{day}", "senat", day, "acceptee", "", "", 1, 0, 0, 0, None)
            for day in ("2023-09-01", "2023-09-30")
        ],
        schema.TENURES: [[value or None for value in listed]],
        schema.MANDATES: [("senat", listed.elu_id, *days) for days in mandates],
    }
    write(tmp_path / "movements.db", [], tables)
    with closing(sqlite3.connect(tmp_path / "movements.db")) as db:
        [(until, line)] = db.execute("select fin_apres, json from _lignes_elus")
    assert until == known
    assert [mandate["debut"] for mandate in json.loads(line)["mandats"]] == [
        begun for begun, _ in mandates
    ]
    assert "fin" not in json.loads(line)["mandats"][-1]
