"""Names of parameters in other interfaces, and French advice for those that have no equivalent here.

Names are compared in lower case, without accents or punctuation, so that `perPage`, `per-page`,
`page[size]` and `$top` are in the tables.
"""

from __future__ import annotations

from parlement_lists.movement import FIELDS, plain

from ... import addresses
from ...access.key_refusals import QUERY_NAMES
from ...refusal import DATABASE, SITE

SEARCH = SITE + addresses.SEARCH
FEED = SITE + addresses.CHANGES
STAYS = SITE + addresses.STAYS
TABLE = f"{DATABASE}/mouvements.json"
# In another order Datasette's pages repeat and skip rows.
SAFELY = "_sort=id"

# Our parameter -> its names elsewhere.
RENAMED = {
    "depuis": "since from after startdate datefrom fromdate datedebut debut du datemin mindate"
    " sincedate apres fromdatetime begin datestart dateeventgte",
    "jusqua": "until to before enddate dateto todate datefin fin au datemax maxdate untildate"
    " avant todatetime end dateend dateeventlte",
    "le": "date jour day dateevent on asof",
    "present": "current actif active encours actuel actuels",
    "limit": "perpage pagesize size pagelimit rows max maxresults maxitems nombre taille hitsperpage"
    " top count first nb results",
    "offset": "skip decalage startat startindex pageoffset firstresult",
    "equipe": "team office bureau cabinet",
    "elu": "eluid depute deputeid senateur senateurid eurodepute mep mp deputy member memberid membre",
    "chambre": "house institution assembly parlement",
    "type": "kind nature typemouvement eventtype mouvement",
    "source": "origine origin provenance",
    "nom": "q name search query recherche rechercher prenom collaborateur staff nomprenom elunom lastname"
    " firstname fullname term keyword motcle text",
    "groupe": "group parti party groupepolitique politicalgroup grouppolitique groupid elugroupe",
    "format": "fmt output outputformat contenttype accept alt csv json export",
}
CURSORS = (
    "curseur cursor next nextcursor nextpage pagetoken nextpagetoken continuationtoken resumptiontoken"
    " sinceid afterid startingafter sinceseq"
)
# Names without an equivalent here -> what to do instead.
ADVICE = {
    "sort order tri orderby sortby ordre sortorder dir direction trier trierpar asc desc sens": "l’ordre est fixe : triez ce que vous avez lu ; les"
    " pages de Datasette, avec une clé, ne sont sûres que dans l’ordre des identifiants :"
    f" {TABLE}?{SAFELY}",
    "fields field columns select colonnes champs include exclude expand": "chaque mouvement vient entier ; Datasette"
    f" choisit les colonnes, avec une clé : {TABLE}?_col=id&_col=date_event&{SAFELY}",
    "filter filters where filtre filtres": "chaque filtre est un paramètre :"
    f" {SEARCH}?chambre=senat&type=depart",
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
    "total totalcount counttotal withcount": "total est dans chaque réponse d’une recherche, par exemple"
    f" {SEARCH}?limit=1",
    "version v apiversion": "retirez-le : la version est dans le chemin",
}
OURS = {name: ours for ours, names in RENAMED.items() for name in names.split()}
INSTEAD = {name: text for names, text in ADVICE.items() for name in names.split()}
PAGES = ("page", "pagenumber", "pageno", "pagenum", "p")
CURSOR_NAMES = CURSORS.split()
YEARS = ("annee", "year", "an")
COLUMNS = {field.name.replace("_", ""): field for field in FIELDS}


def usual_form(name: str) -> str:
    """The form in which names are compared."""
    return plain(name).replace(" ", "")
