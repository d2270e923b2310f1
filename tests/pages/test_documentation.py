"""The documentation kept to what is in force; what who finds an error is promised, by the contact that is set."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from datasette_mouvements.api.parameters import FEED, MEMBERS, MOVEMENTS, OF, STAYS
from datasette_mouvements.fields import MOVEMENT_FIELDS, STAY_FIELDS
from datasette_mouvements.pages import french
from datasette_mouvements.refusal import KINDS
from parlement_lists.meanings import MEANINGS
from parlement_lists.movement import CONFIDENCES

from .conftest import Read, text_of

# Places that other pages and the interface lead to.
ANCHORS = {"methode", "corriger", "champs", "parametres", "collaborations", "copie", "licence"}
ANCHORS |= {"donnees-personnelles", "accessibilite"}


async def test_it_holds_every_definition(shared):
    datasette = await shared({"quota": 1234, "contact": "contact@exemple.fr"})
    page = (await datasette.client.get("/documentation")).text
    read = Read(page)
    names = {name for resource in (MOVEMENTS, STAYS, MEMBERS, FEED) for name in OF[resource]}
    names |= {field.name for field in (*MOVEMENT_FIELDS, *STAY_FIELDS)}
    assert [name for name in names if f"<code>{name}</code>" not in page] == []
    said = [field.description for field in (*MOVEMENT_FIELDS, *STAY_FIELDS)]
    template = datasette.get_jinja_environment().get_template("mouvements/_not_known.html")
    not_known = (await template.make_module_async()).lines.splitlines()
    assert len(not_known) > 10
    said += [*not_known, *(MEANINGS[value] for value in CONFIDENCES)]
    said += [kind.meaning for kind in KINDS.values()]
    assert [line for line in said if french.typography(line) not in read.text] == []
    anchors = ANCHORS | {kind.anchor for kind in KINDS.values()}
    assert anchors | {f"confiance-{value}" for value in CONFIDENCES} <= set(read.ids)
    assert {link[1:] for link in read.links if link.startswith("#")} <= set(read.ids)
    assert "1\u202f234" in read.text
    assert "renouveler une clé ne le remet pas à zéro" in read.text
    assert "une réponse 304, 401, 429 ou 503 ne compte pas" in read.plain


async def test_the_method_has_one_measure_and_says_once_why_contracts_end(datasette):
    text = await text_of(datasette, "/documentation")
    assert "les personnes parties alors que leur parlementaire restait" in text
    assert "Rien n’est donné de moins de 3 personnes" in text
    assert "Une absence de sept jours ou moins n’est pas un départ" in text
    assert text.count("Une fin de contrat a bien des raisons") == 1


async def test_the_address_of_a_refusal_leads_to_its_explanation(datasette):
    refused = await datasette.client.get("/v1/mouvements")
    explained = urlsplit(refused.json()["type"])
    assert explained.fragment in Read((await datasette.client.get(explained.path)).text).ids


async def test_the_example_client_is_open_and_kept_by_its_tag(datasette):
    answer = await datasette.client.get("/exemples/client.py")
    assert answer.headers["access-control-allow-origin"] == "*"
    assert '"""' in answer.text
    tag = {"If-None-Match": answer.headers["etag"]}
    again = await datasette.client.get("/exemples/client.py", headers=tag)
    assert (again.status_code, again.content) == (304, b"")


async def test_robots_may_read_that_they_must_not_index(datasette):
    lines = (await datasette.client.get("/robots.txt")).text.splitlines()
    assert "Disallow: /movements/mouvements?" in lines
    assert not any(line in ("Disallow: /", "Disallow: /elus") for line in lines)


@pytest.mark.parametrize(
    ("path", "promise"), [("/vos-donnees", "sous un mois"), ("/documentation", "La réponse vient")]
)
async def test_only_where_a_contact_is_set_is_an_answer_promised(shared, path, promise):
    for contact in ("contact@exemple.fr", ""):
        assert (promise in await text_of(await shared({"contact": contact}), path)) == bool(contact)


async def test_the_mail_names_its_page_alone_with_the_line_ends_of_messages(shared):
    datasette = await shared({"contact": "contact@exemple.fr"})
    html = (await datasette.client.get("/vos-donnees")).text
    mail = parse_qs(next(urlsplit(link).query for link in Read(html).links if "?subject=" in link))
    (subject,), (body,) = mail["subject"], mail["body"]
    assert subject == "Correction ou retrait"
    assert body.startswith("Bonjour,\r\n\r\nPage : http")
    assert body.count("\r\n") == body.count("\n") == body.count("\r") > 5


async def test_a_contact_that_is_no_link_is_written_out_and_none_promises_nothing(shared):
    address = await shared({"contact": "Service des données, 1 rue des Ormes"})
    assert "Écrivez à Service des données, 1 rue des Ormes" in await text_of(
        address, "/vos-donnees"
    )
    nobody = await text_of(await shared({"contact": ""}), "/vos-donnees")
    assert "personne ne peut y être joint par cette page" in nobody
