"""What a page promises to who finds an error, by the contact that is set."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from .conftest import Read

pytestmark = pytest.mark.asyncio
PAGE = "/collaborateurs/ormevalle-louis-ferreol"


async def told(shared, contact: str) -> str:
    datasette = await shared({"contact": contact})
    return Read((await datasette.client.get(PAGE)).text).plain


async def test_a_contact_that_is_no_link_is_written_out(make):
    page = await told(make, "Service des données, 1 rue des Ormes")
    assert "Écrivez à Service des données, 1 rue des Ormes" in page
    assert "Réponse sous un mois au plus" in page
    assert "pas renseignée" not in page


async def test_the_lines_of_a_mail_end_as_those_of_messages_do(shared):
    datasette = await shared({"contact": "contact@exemple.fr"})
    links = Read((await datasette.client.get(PAGE)).text).links
    mail = urlsplit(next(link for link in links if link.startswith("mailto:")))
    (body,) = parse_qs(mail.query)["body"]
    assert body.startswith("Bonjour,\r\n\r\nPage : http")
    assert body.count("\r\n") == body.count("\n") == body.count("\r") > 5


async def test_without_a_contact_the_page_promises_no_answer(make):
    page = await told(make, "")
    assert "personne ne peut y être joint par cette page" in page
    assert "écrivez-nous" not in page
    assert "Réponse sous" not in page


@pytest.mark.parametrize(
    ("path", "promise"),
    [("/elus/assemblee/PA999001", "Réponse sous"), ("/documentation", "La réponse vient")],
)
async def test_only_where_a_contact_is_set_is_an_answer_promised(shared, path, promise):
    for contact in ("contact@exemple.fr", ""):
        datasette = await shared({"contact": contact})
        answer = await datasette.client.get(path)
        assert answer.status_code == 200
        assert (promise in Read(answer.text).text) == bool(contact)
