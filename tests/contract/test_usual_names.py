"""Names that other interfaces use: each is told with what to do instead, and that works."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from datasette_mouvements.api.changes import PARAMETERS as OF_CHANGES
from datasette_mouvements.api.parameters import usual_names
from datasette_mouvements.api.parameters.advice import advice
from datasette_mouvements.api.parameters.search_parameters import BY_NAME

from .service import InProcess, Service
from .situations import PATH, NewKey

rule = pytest.mark.rule
CHANGES = {parameter.name: parameter for parameter in OF_CHANGES}
# Addresses and queries as messages write them.
EXAMPLE = re.compile(
    r"(?<=[ (])(?:/[a-z0-9/.-]+(?:\?[\w=&%+-]+)?|[a-z]+=[\w-]+(?:&[a-z]+=[\w-]+)*)"
)
LISTS = [*usual_names.RENAMED.values(), *usual_names.ADVICE]
PATIENCE = 50


def told(service: Service, reader: dict[str, str], query: str, path: str = PATH) -> str:
    answer = service.ask(f"{path}?{query}", reader)
    assert answer.status == 400, answer.body
    problem = answer.json()
    assert problem["parametre"] == query.partition("=")[0]
    detail = problem["detail"]
    assert isinstance(detail, str)
    return detail


def test_each_usual_name_stands_in_one_row() -> None:
    names = [name for names in LISTS for name in names.split()]
    names += [*usual_names.PAGES, *usual_names.YEARS]
    assert len(names) == len(set(names))
    assert names == [usual_names.usual_form(name) for name in names]
    assert not set(names) & BY_NAME.keys()


@rule("decisions-usual-names")
@pytest.mark.parametrize("names", LISTS, ids=lambda names: names.split()[0])
def test_every_example_works(service: Service, reader: dict[str, str], names: str) -> None:
    detail = told(service, reader, f"{names.split()[0]}=1")
    before = detail.partition(" Paramètres admis")[0]
    assert " ; " in before
    for name in names.split():
        assert advice(name, {name: "1"}, BY_NAME), name
    for example in EXAMPLE.findall(before.removesuffix(".")):
        target = example if example.startswith("/") else f"{PATH}?{example}"
        for _ in range(PATIENCE):
            status = service.ask(target.removesuffix("/"), reader).status
            if status != 503:  # names are counted when the service starts
                break
        assert status == 200, target


@rule("decisions-usual-names")
@pytest.mark.parametrize(
    ("query", "instead"),
    [
        ("page=3&per_page=50", "limit=50&offset=100"),
        ("page=3&limit=20", "limit=20&offset=40"),
        ("page=1", "limit=100&offset=0"),
        ("page=0", "limit=100&offset=0"),
        ("page=2&per_page=1000", "limit=500&offset=500"),
        ("page=x", "limit=100&offset=100"),
        ("page=99999999999999999999", "limit=100&offset=100"),
        ("page%5Bnumber%5D=2", "limit=100&offset=100"),
        ("perPage=50", "limit=50"),
        ("per-page=50", "limit=50"),
        ("%24top=7", "limit=7"),
        ("per_page=1000", "limit=100"),
        ("since=2026-05-01", "depuis=2026-05-01"),
        ("since=hier", "depuis=2026-01-31"),
        ("from=2026-05-01", "depuis=2026-05-01"),
        ("apr%C3%A8s=2026-05-01", "depuis=2026-05-01"),
        ("before=2026-05-01", "jusqua=2026-05-01"),
        ("date=2026-05-01", "depuis=2026-05-01&jusqua=2026-05-01"),
        ("year=2025", "depuis=2025-01-01&jusqua=2025-12-31"),
        ("year=x", "depuis=2026-01-01&jusqua=2026-12-31"),
        ("group=HIR", "/movements/mouvements.json?elu_groupe=HIR&_sort=id"),
        ("groupe=S%26D", "?elu_groupe=S%26D&"),
        ("elu_groupe=HIR", "/movements/mouvements.json?elu_groupe=HIR&_sort=id"),
        ("elu_origine_groupe=HIR", "/movements/mouvements.json?elu_origine_groupe=HIR&_sort=id"),
        ("q=orme", "/recherche?q=orme le fait"),
        ("q=orme", "/movements/mouvements.json?_search=orme&_sort=id"),
        ("name=Chlo%C3%A9+d%27Orme-Vallon", "?_search=Chlo%C3%A9+d%27Orme-Vallon&"),
        ("q=a%00b", "?_search=dupont&"),
        ("q=%22%3E", "?_search=dupont&"),
        (f"q={'a' * 25}", "?_search=dupont&"),
        (f"q={'%E9%BE%8D' * 20}", "?_search=dupont&"),
        (f"q={'ab+' * 40}", "?_search=dupont&"),
        ("sort=asc", "l’ordre est fixe"),
        ("sort=asc", "/movements/mouvements.json?_sort=id."),
        ("fields=id", "&_sort=id"),
        ("limite=5", "vouliez-vous dire « limit », par exemple limit=5 ?"),
        ("house=senat", "chambre=senat"),
        ("depute=PA99", "elu=PA99"),
        ("depute=orme", "elu=99099Z"),
        ("format=ndjson", "/fichiers/recherche?format=ndjson"),
        ("format=csv", "/fichiers/recherche?format=csv"),
        ("curseur=x", "/v1/changements"),
        ("updated_since=2026-01-01", "/v1/changements"),
        ("confiance=fort", "/movements/mouvements.json?confiance=fort&_sort=id"),
        ("confiance=x", "/movements/mouvements.json?confiance=manuel&_sort=id"),
        ("fonction=juriste", "/movements/mouvements.json?fonction__contains=juriste&_sort=id"),
        ("_sort=x", "/movements/mouvements.json"),
        ("_=1700000000", "retirez-le"),
    ],
)
def test_a_usual_name_is_told_the_right_way(
    service: Service, reader: dict[str, str], query: str, instead: str
) -> None:
    answer = service.ask(f"{PATH}?{query}", reader)
    assert answer.status == 400
    assert instead in answer.json()["detail"]
    assert ("vouliez-vous" in answer.json()["detail"]) == ("vouliez-vous" in instead)


@rule("decisions-usual-names")
@pytest.mark.parametrize(
    ("path", "query", "instead"),
    [
        ("/flux", "group=HIR", "c’est ici « groupe », par exemple groupe=HIR."),
        ("/flux", "elu_groupe=HIR", "c’est ici « groupe », par exemple groupe=HIR."),
        ("/flux", "q=orme", "c’est ici « nom », par exemple nom=orme."),
        ("/flux", "q=x", "c’est ici « nom », par exemple nom=exemple."),
        ("/flux", "name=", "c’est ici « nom », par exemple nom=exemple."),
        ("/flux", "page=2", "un flux n’a pas de pages, il a les 50 dernières publications"),
        ("/flux", "page=2", "/v1/mouvements?limit=100"),
        ("/flux", "per_page=7", "un flux n’a pas de pages"),
        ("/flux", "cursor=x", "/v1/changements?limit=100"),
        ("/flux", "date=2026-05-01", "depuis=2026-05-01&jusqua=2026-05-01"),
        ("/fichiers/recherche", "page=2", "un fichier n’a pas de pages"),
        ("/fichiers/recherche", "limit=100", "un fichier n’a pas de pages"),
        ("/fichiers/recherche", "offset=0", "un fichier n’a pas de pages"),
        ("/fichiers/recherche", "per_page=", "un fichier n’a pas de pages"),
        ("/fichiers/recherche", "groupe=HIR", "?elu_groupe=HIR&_sort=id"),
        ("/fichiers/recherche", "output=ndjson", "c’est ici « format », par exemple format=ndjson"),
        (
            "/fichiers/recherche",
            "formt=tableur",
            "vouliez-vous dire « format », par exemple format=tableur ?",
        ),
        (
            "/fichiers/tout",
            "chambre=senat",
            "« chambre » est un paramètre de http://localhost/v1/mouvements",
        ),
        ("/fichiers/tout", "key=abc", "la clé ne se donne pas dans l’adresse"),
        ("/v1/quota", "x=1", "Cette adresse n’admet aucun paramètre."),
    ],
)
def test_what_is_told_is_true_where_it_is_told(
    service: Service, reader: dict[str, str], path: str, query: str, instead: str
) -> None:
    detail = told(service, reader, query, path)
    assert instead in detail
    assert not re.search(r"limit=\d+&offset=", detail)


@rule("decisions-usual-names")
@pytest.mark.parametrize(
    ("query", "instead"),
    [
        ("since=2026-01-01", "« depuis » est un paramètre de http://localhost/v1/mouvements"),
        ("chambre=senat", "« chambre » est un paramètre de http://localhost/v1/mouvements"),
        ("page=2", "curseur=maintenant"),
        ("offset=2", "curseur=maintenant"),
        ("cursor=x", "curseur=maintenant"),
        ("per_page=7", "limit=7"),
        ("curseurs=x", "vouliez-vous dire « curseur »"),
    ],
)
def test_the_feed_of_changes_has_ways_of_its_own(
    service: Service, reader: dict[str, str], query: str, instead: str
) -> None:
    assert instead in told(service, reader, query, "/v1/changements")


def test_an_address_without_parameters_says_so(service: Service, reader: dict[str, str]) -> None:
    detail = told(service, reader, "xyz=1", "/v1/mouvements/mvt_0")
    assert detail.endswith("Cette adresse n’admet aucun paramètre.")


@rule("decisions-usual-names")
@pytest.mark.parametrize("public_url", ["", "https://collab.example/m"])
def test_addresses_begin_where_the_service_does(
    in_process: Callable[..., InProcess], new_key: NewKey, public_url: str
) -> None:
    service = in_process({"public_url": public_url}, base_url="/m/")
    begin = public_url or "http://localhost/m"
    detail = service.ask(f"/m{PATH}?q=x", new_key(service)).json()["detail"]
    assert f" {begin}/recherche?q=" in detail
    assert f" {begin}/movements/mouvements.json?_search=" in detail
    assert not re.search("[\x7f\ue000-\uf8ff]", detail)


@rule("decisions-usual-names", "decisions-key-told")
@pytest.mark.parametrize(
    "query",
    [
        "key={}",
        "api_key={}",
        "{}",
        "{}=1",
        "limit={}",
        "curseur={}",
        "x=1&{}={}",
        "q={}",
        "groupe={}",
    ],
)
def test_a_key_in_the_address_is_told_and_never_repeated(
    service: Service, reader: dict[str, str], query: str
) -> None:
    key = reader["Authorization"].removeprefix("Bearer ")
    sent = query.replace("{}", key)
    without = service.ask(f"{PATH}?{sent}")
    assert without.status == 401
    assert "dans l’adresse" in without.json()["detail"]
    assert "error=" not in (without.header("WWW-Authenticate") or "")
    with_key = service.ask(f"{PATH}?{sent}", reader)
    assert with_key.status == 400
    for answer in (without, with_key):
        assert key[4:11] not in answer.body.decode()
        assert key[4:11] not in str(answer.headers)
    if "key" in query:
        assert "dans des journaux" in with_key.json()["detail"]
        assert "/-/cle" in with_key.json()["detail"]
