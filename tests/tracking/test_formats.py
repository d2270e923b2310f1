from __future__ import annotations

import datetime
import gzip

import pytest

from parlement_lists.bounds import LIST_BYTES
from parlement_lists.tracking.reading.lists import List, ListRefused, Reader
from tests.tracking import lists

DAY = datetime.date(2026, 9, 1)
STAFF = {1: ["Zélie GRANDIN-MOREL", "Ulysse LE TERTRE"], 2: ["Zélie GRANDIN-MOREL"]}


def read(data: bytes, chamber: str = "assemblee", reader: Reader | None = None) -> List:
    return (reader or Reader()).read(data, chamber, DAY)


@pytest.mark.parametrize(
    ("chamber", "header"),
    [
        ("senat", lists.SENAT_FIRST),
        ("senat", lists.SENAT),
        ("senat", lists.BOTH),
        ("senat", lists.NOW),
        ("assemblee", lists.BOTH),
        ("assemblee", lists.NOW),
        ("assemblee", lists.OPEN_DATA),
        ("europarl", lists.EUROPARL),
        ("senat", lists.KEPT),
        ("assemblee", lists.KEPT),
        ("europarl", lists.KEPT),
    ],
)
def test_every_format_gives_the_same_pairs(chamber: str, header: str) -> None:
    found = read(lists.data(chamber, STAFF, header), chamber)
    one, two = (lists.member(chamber, n) for n in (1, 2))
    assert set(found.pairs) == {
        (one, "grandin morel zelie"),
        (one, "le tertre ulysse"),
        (two, "grandin morel zelie"),
    }
    pair = found.pairs[one, "le tertre ulysse"]
    assert (pair.family, pair.given) == ("LE TERTRE", "Ulysse")
    assert pair.civility == ("" if header in (lists.EUROPARL, lists.OPEN_DATA) else "Mme")
    assert pair.member_family.upper() == "NUMÉRO1"
    assert (found.rows, found.without_member, found.unreadable) == (3, 0, 0)


@pytest.mark.parametrize("wrap", [gzip.compress, lambda d: b"\xef\xbb\xbf" + d, bytes])
def test_gzip_and_a_byte_order_mark_change_nothing(wrap) -> None:
    data = lists.data("senat", STAFF)
    assert read(wrap(data), "senat").pairs == read(data, "senat").pairs


def test_a_star_an_accent_and_a_civility_do_not_make_another_person() -> None:
    starred = lists.data("senat", {1: ["Zelie * GRANDIN MOREL"]})
    assert set(read(starred, "senat").pairs) == {("99001Z", "grandin morel zelie")}


def test_a_list_of_the_other_chamber_has_no_member() -> None:
    data = lists.data("senat", STAFF)
    assert read(data, "assemblee").without_member == 3


@pytest.mark.parametrize(
    ("data", "reason", "said"),
    [
        (b"", "empty", "empty"),
        (b"\n \n", "empty", "empty"),
        (b"nom;prenom;elu\n1;2;3\n", "format", "nom;prenom;elu"),
        (lists.data("senat", STAFF).replace(b",", b";"), "format", '"parlementaire";'),
        (lists.data("assemblee", STAFF).replace(b"Ulysse", b"Ulys\x00e"), "garbled", "line 3"),
        (lists.data("assemblee", STAFF).decode().encode("latin-1"), "garbled", "line 1: not UTF-8"),
        (lists.data("assemblee", STAFF)[:-1], "truncated", "cut off"),
        (lists.data("assemblee", STAFF)[:-4], "truncated", "cut off"),
        (lists.data("assemblee", STAFF)[:-30], "garbled", "line 4: unexpected end of data"),
        (
            lists.data("assemblee", STAFF, lists.OPEN_DATA).rsplit(b",", 1)[0],
            "truncated",
            "cut off",
        ),
        (lists.data("assemblee", STAFF)[:-30] + b"\n", "garbled", "line 4"),
        (b",".join([b"x"] * 1_000_000) + b"\n", "format", "more than 2,000"),
        (lists.data("europarl", STAFF), "format", "europarl"),
        (gzip.compress(lists.data("assemblee", STAFF), mtime=0)[:-9], "damaged", "gzip"),
        (gzip.compress(b"0" * (LIST_BYTES + 9), mtime=0), "too_long", "not a list"),
    ],
)
def test_what_is_no_list_is_refused_with_what_was_found(
    data: bytes, reason: str, said: str
) -> None:
    with pytest.raises(ListRefused, match=said) as refused:
        read(data)
    assert refused.value.reason == reason
    assert len(str(refused.value)) < 400


def test_a_field_longer_than_csv_allows_is_refused() -> None:
    with pytest.raises(ListRefused, match="line 4"):
        read(lists.data("assemblee", {**STAFF, 2: ["Zoé " + "B" * 140_000]}))


def test_the_open_data_file_need_not_end_its_last_line() -> None:
    data = lists.data("assemblee", STAFF, lists.OPEN_DATA)
    assert read(data[:-1]).pairs == read(data).pairs


@pytest.mark.parametrize(
    "header",
    [
        "Numéro;Nom;Prénom;Nom collaborateur;Prénom collaborateur",
        "id_depute;nom_depute;prenom_depute;nom_collaborateur;prenom_collaborateur",
        "idDepute;nomDepute;prenomDepute;nomCollaborateur;prenomCollaborateur",
    ],
)
@pytest.mark.parametrize("prefix", ["", "PA"])
def test_the_open_data_file_is_known_by_its_places(header: str, prefix: str) -> None:
    table = [[prefix + row[0], *row[1:]] for row in lists.rows("assemblee", STAFF, lists.OPEN_DATA)]
    found = read(lists.text([header.split(";"), *table[1:]]))
    assert found.pairs.keys() == read(lists.data("assemblee", STAFF)).pairs.keys()


@pytest.mark.parametrize(
    "header", ["Numéro;Nom;Prénom;Prénom;Nom", "Numéro;Nom;Prénom;Groupe;Prénom", "a;b;c;Nom;Nom"]
)
def test_another_order_of_the_open_data_file_is_refused(header: str) -> None:
    table = lists.rows("assemblee", STAFF, lists.OPEN_DATA)
    with pytest.raises(ListRefused, match="unknown format, header"):
        read(lists.text([header.split(";"), *table[1:]]))


@pytest.mark.parametrize("name", ["=CMD() X", "@SUM(A1) X", "Zoé\tB <b>", "-- --"])
def test_a_name_that_cannot_be_one_is_an_unreadable_row(name: str) -> None:
    table = lists.rows("assemblee", STAFF)
    table.append([*table[1][:4], name, *table[1][5:]])
    found = read(lists.text(table))
    assert found.unreadable == 1
    assert len(found.pairs) == 3


@pytest.mark.parametrize("ends", [1, 6])
def test_a_field_that_holds_line_ends_refuses_the_list(ends: int) -> None:
    spread = b'"Mme' + b"\n" * ends + b"Ulysse"
    with pytest.raises(ListRefused, match=r"^line 3: its quotes do not make one row"):
        read(lists.data("assemblee", STAFF).replace(b'"Mme Ulysse', spread))


ROWS = [
    f"{lists.member('europarl', n)},Élue Numéro{n},GRA,{name},Local assistants"
    for n, name in enumerate(["Ada MOREAU", "Bo LENGLET", "Cleo VASSOR", "Dan ROUVEROL"], 1)
]


def opens(row: str) -> str:
    """The row with a quote that says nothing, and one that opens a field and does not close it."""
    return row.replace(",GRA", '",GRA').replace(",Local", ',"Local')


def closes(row: str) -> str:
    """The row with a quote that closes what the row before opened, and one that says nothing."""
    return row.replace(",GRA", '",GRA').replace(",Local", '",Local')


@pytest.mark.parametrize(
    "spoiled",
    [
        # Two lines, and CSV reads one row.
        [opens(ROWS[0]), closes(ROWS[1]), *ROWS[2:]],
        [*ROWS[:2], opens(ROWS[2]), closes(ROWS[3])],
    ],
)
@pytest.mark.parametrize("known", [[], ROWS])
def test_quotes_that_do_not_make_a_line_one_row_refuse_the_list(
    spoiled: list[str], known: list[str]
) -> None:
    reader = Reader()
    if known:
        assert len(read(list_of(known), "europarl", reader).pairs) == 4
    with pytest.raises(ListRefused, match=r"^line \d: its quotes do not make one row") as refused:
        read(list_of(spoiled), "europarl", reader)
    assert refused.value.reason == "garbled"


def list_of(rows: list[str]) -> bytes:
    return "\n".join([lists.EUROPARL, *rows, ""]).encode()


@pytest.mark.parametrize("odd", ["\u2028", "\x85", "\x0b", "\r"])
def test_a_character_that_ends_lines_elsewhere_does_not_shift_the_rows(odd: str) -> None:
    table = [",".join(row) for row in lists.rows("europarl", STAFF)]
    table.insert(1, table[1].replace(" GRANDIN", f"{odd}GRANDIN"))
    try:
        found = read("\n".join([*table, ""]).encode(), "europarl")
    except ListRefused:
        return
    assert set(read(lists.data("europarl", STAFF), "europarl").pairs) <= set(found.pairs)


def test_rows_of_the_list_before_are_not_read_again() -> None:
    reader = Reader()
    first = read(lists.data("senat", STAFF), "senat", reader)
    changed = read(lists.data("senat", {**STAFF, 3: ["Bo B"]}), "senat", reader)
    kept = ("99001Z", "le tertre ulysse")
    assert changed.pairs[kept] is first.pairs[kept]
