"""What other interfaces call things: how to ask for the same here, or where else to.

One table, of a French sentence for each name; `parameters.read` is its only reader. Names are compared
in lower case, without accents or punctuation: `perPage`, `per-page`, `page[size]` and `$top` have a row.
Of what was sent only days and plain numbers are ever repeated: a value may be a key.
"""

from __future__ import annotations

from collections.abc import Mapping

from .. import addresses
from ..access.key_refusals import QUERY_NAMES
from ..movement import FIELDS, is_date, plain
from ..refusal import DATABASE, SITE
from .parameter import LIMIT_DEFAULT, LIMIT_MOST, OFFSET_MOST, Parameter, value_of, whole

SEARCH = SITE + addresses.SEARCH
FEED = SITE + addresses.CHANGES
TABLE = f"{DATABASE}/mouvements.json"

# The parameter of ours that means the same.
RENAMED = {
    "depuis": "since from after startdate datefrom fromdate datedebut debut du datemin mindate"
    " sincedate apres fromdatetime begin datestart dateeventgte",
    "jusqua": "until to before enddate dateto todate datefin fin au datemax maxdate untildate"
    " avant todatetime end dateend dateeventlte",
    "limit": "perpage pagesize size pagelimit rows max maxresults maxitems nombre taille hitsperpage"
    " top count first nb results",
    "offset": "skip decalage startat startindex pageoffset firstresult",
    "elu": "eluid depute deputeid senateur senateurid eurodepute mep mp deputy member memberid membre",
    "chambre": "house institution assembly parlement",
    "type": "kind nature typemouvement eventtype mouvement",
    "source": "origine origin provenance",
}
CURSORS = (
    "curseur cursor next nextcursor nextpage pagetoken nextpagetoken continuationtoken resumptiontoken"
    " sinceid afterid startingafter sinceseq"
)
# Nothing here means the same: what to do instead.
TOLD = {
    "q nom name search query recherche rechercher prenom collaborateur staff nomprenom elunom lastname"
    " firstname fullname term keyword motcle text": "l’interface ne cherche pas par nom ; la page"
    f" {SITE}/recherche?q=dupont le fait, et, avec une clé, {TABLE}?_q=dupont",
    "groupe group parti party groupepolitique politicalgroup grouppolitique groupid": "l’interface ne filtre pas"
    f" par groupe ; Datasette le fait, avec une clé : {TABLE}?elu_groupe=NI",
    "sort order tri orderby sortby ordre sortorder dir direction trier trierpar asc desc sens": "l’ordre est fixe, du plus récent au plus ancien ; Datasette trie autrement, avec une clé :"
    f" {TABLE}?_sort=date_event",
    "format fmt output outputformat contenttype accept alt csv json export": "l’interface répond en JSON ;"
    f" un fichier se demande, avec une clé, à {SITE}{addresses.FILE_OF_A_SEARCH}?format=csv",
    "fields field columns select colonnes champs include exclude expand": "chaque mouvement vient entier ; Datasette"
    f" choisit les colonnes, avec une clé : {TABLE}?_col=id&_col=date_event",
    "filter filters where filtre filtres": "chaque filtre est un paramètre, par exemple chambre=senat&type=depart",
    "callback jsonp": "JSONP n’est pas servi ; un navigateur lit l’interface de tout site (CORS), la clé dans"
    " l’en-tête X-API-Key",
    "id ids uuid": f"un mouvement se lit à son adresse, {SEARCH}/ suivi de son identifiant",
    CURSORS: "les pages se demandent par offset ; un curseur suit ce qui change,"
    f" à {FEED}?limit=100",
    "updatedsince modifiedsince updatedafter changedsince modifiedafter ifmodifiedsince misajour"
    " updatedat publieapres lastmodified": "depuis filtre le jour du mouvement ; ce qui a été publié,"
    f" corrigé ou retiré depuis une copie se lit à {FEED}?limit=100",
    " ".join(
        QUERY_NAMES
    ): "la clé ne se donne pas dans l’adresse, qui reste dans des journaux et des"
    " historiques ; envoyez-la dans l’en-tête Authorization (Bearer) ou X-API-Key, et renouvelez celle-ci"
    f" à {SITE}{addresses.KEY_PAGE}",
    "lang language locale langue": "retirez-le : l’interface répond en français",
    "cache nocache cachebuster timestamp utmsource utmmedium utmcampaign": "retirez-le :"
    " une réponse se vérifie par If-None-Match",
    "total totalcount counttotal withcount": "total est dans chaque réponse ; pour lui seul, limit=1",
    "version v apiversion": "retirez-le : la version est dans le chemin",
}
_OURS = {name: ours for ours, names in RENAMED.items() for name in names.split()}
_TOLD = {name: told for names, told in TOLD.items() for name in names.split()}
_PAGES = ("page", "pagenumber", "pageno", "pagenum", "p")
_CURSORS = CURSORS.split()
_DAYS = ("date", "jour", "day", "dateevent", "on")
_YEARS = ("annee", "year", "an")
_COLUMNS = {
    field.name.replace("_", ""): f"{field.name}={field.values[-1]}"
    if field.values
    else f"{field.name}__contains=a"
    for field in FIELDS
}


def advice(name: str, given: Mapping[str, str], known: Mapping[str, Parameter]) -> str:
    """What to do instead of sending `name` to an operation of the parameters `known`; "" if nobody knows.

    `given` is all that the request gave, as text.
    """
    if name == "_":
        return _TOLD["cache"]
    if name.startswith("_"):
        return (
            f"ce qui commence par « _ » est de Datasette, dont l’adresse demande une clé : {TABLE}"
        )
    usual = usual_form(name)
    if usual in known:  # but for its case or an accent
        return ""
    # Parameters of the search, and what its pages and days are asked by, are no other operation's.
    if "offset" in known:
        told = _computed(usual, given[name], given)
        if told:
            return told
    ours = _OURS.get(usual)
    if ours and ours in known:
        return f"c’est ici « {ours} », par exemple {ours}={_sample(known[ours], given[name])}"
    if "curseur" in known and (usual in _PAGES or usual in _CURSORS or "offset" in (ours, usual)):
        example = known["curseur"].example
        return (
            f"c’est ici « curseur », celui de la réponse précédente, par exemple curseur={example}"
        )
    if ours or usual in RENAMED:
        return f"« {ours or usual} » est un paramètre de {SEARCH}, pas de cette adresse"
    if usual in _TOLD:
        return _TOLD[usual]
    if usual in _COLUMNS:
        told = f"{TABLE}?{_COLUMNS[usual]}"
        return f"l’interface ne filtre pas par ce champ ; Datasette le fait, avec une clé : {told}"
    return ""


def usual_form(name: str) -> str:
    """The form in which names are compared."""
    return plain(name).replace(" ", "")


def _computed(usual: str, value: str, given: Mapping[str, str]) -> str:
    """What pages, days and years are asked by here, in the numbers that came."""
    if usual in _PAGES:
        page, size = whole(value), _size(given)
        passed = size if page is None else max(page - 1, 0) * size
        passed = passed if passed <= OFFSET_MOST else size
        return (
            f"les pages se demandent par limit et offset, par exemple limit={size}&offset={passed}"
        )
    if usual in _DAYS:
        day = value if is_date(value) else "2026-01-31"
        return f"un jour se demande par ses deux bornes, par exemple depuis={day}&jusqua={day}"
    if usual in _YEARS:
        year = value if is_date(f"{value}-01-01") else "2026"
        return (
            "une période se demande par ses deux bornes, par exemple"
            f" depuis={year}-01-01&jusqua={year}-12-31"
        )
    return ""


def _size(given: Mapping[str, str]) -> int:
    """The length of a page that a request asks for, whatever it calls it."""
    for name, value in given.items():
        if name == "limit" or _OURS.get(usual_form(name)) == "limit":
            return min(whole(value) or LIMIT_DEFAULT, LIMIT_MOST)
    return LIMIT_DEFAULT


def _sample(parameter: Parameter, value: str) -> str | int:
    """What was sent, where it is a number or a day that the parameter accepts; else its example."""
    plain_value = parameter.format == "date" or parameter.least is not None
    kept = value_of(parameter, value) if plain_value else None
    return parameter.example if kept is None else kept
