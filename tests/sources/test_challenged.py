"""A site that lets browsers in and no programs: told in plain words, never circumvented, read from saved pages."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from parlement_lists.sources.commands import read_command as read
from parlement_lists.sources.europarl import SOURCE

from .europarl_pages import api_answer, make, member, member_name, staff
from .misbehaving import says

MEMBERS = [member(number) for number in range(1001, 1082)]
PAGES = {
    one.id: make(one.id, member_name(one.id), [staff(f"Jeanne Exemple{one.id}", member=one.id)])
    for one in MEMBERS
}
CHALLENGE_PAGE = (
    b"<!DOCTYPE html><html lang='en'><head><title></title>"
    b"<script src='https://example.net/x/challenge.js'></script></head><body></body></html>"
)
PLAIN = (
    "the site lets browsers read the members' pages and no programs: a challenge for browsers instead"
    " of the file, which is not circumvented"
)


@pytest.fixture
def site(server):
    """The source at a server, whose pages answer what `challenge` says."""

    def challenged(challenge=None):
        def answer(request):
            asked.append(request.path)
            if request.path == "/members":
                says(api_answer(MEMBERS))(request)
            elif challenge:
                challenge(request)
            else:
                id = request.path.rpartition("/")[2]
                says(PAGES[id], content_type="text/html")(request)

        server.answer_with(answer)
        base = server.url.removesuffix("/liste.csv")
        asked.clear()
        return SOURCE.at(
            {
                "members": f"{base}/members",
                "full_list": f"{base}/xml",
                "page": f"{base}/page/{{id}}",
            }
        )

    asked: list[str] = []
    challenged.asked = asked
    return challenged


@pytest.mark.parametrize(
    ("challenge", "times"),
    [
        (says(b"", status=202, x_amzn_waf_action="challenge"), 1),
        (says(b"<html>", status=405, x_amzn_waf_action="captcha"), 1),
        (says(b"<html>", status=403, cf_mitigated="challenge"), 1),
        (says(b"", status=202), 3),
        (says(CHALLENGE_PAGE, content_type="text/html"), 3),
    ],
)
def test_a_challenge_is_told_in_plain_words(fetcher, site, challenge, times):
    (result,) = fetcher.fetch(site(challenge))
    assert result.line.raison == "original non obtenu"
    assert result.detail.startswith(PLAIN)
    assert "datasette mouvements read europarl members.json PAGE.html..." in result.detail
    # The members, whom the API has, were asked of it first; pages are not asked for again and again.
    assert site.asked[0] == "/members"
    pages = [path for path in site.asked if path != "/members"]
    assert max(map(pages.count, pages)) == times
    assert len(set(pages)) <= 6
    assert fetcher.status(site()) == "nouvelle"


def test_a_page_of_a_member_that_cannot_be_read_is_no_challenge(fetcher, site, server):
    source = site()
    usual = server.behaviours[0]
    script = b"<script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'></script></html>"

    def cut(request):
        page = PAGES[request.path.rpartition("/")[2]]
        says(page[: len(page) // 2] + script, content_type="text/html")(request)

    server.answer_with(lambda request: (cut if "/page/" in request.path else usual)(request))
    (result,) = fetcher.fetch(source)
    assert result.line.resultat == "echouee"
    assert "challenge" not in result.detail


def test_some_pages_that_are_challenged_do_not_say_it_of_the_site(fetcher, site, server):
    source = site()
    usual = server.behaviours[0]
    server.answer_with(
        lambda request: (
            says(b"", status=202)(request) if request.path.endswith("/1005") else usual(request)
        )
    )
    (result,) = fetcher.fetch(source)
    assert "1 of 81 members' pages failed" in result.detail
    assert PLAIN not in result.detail


def saved(page: bytes, id: str) -> bytes:
    """A page as a browser saves it: a line of its own, and whole addresses."""
    address = f"https://www.europarl.europa.eu/meps/en/{id}/NAME/assistants"
    text = page.decode().replace('href="/', 'href="https://www.europarl.europa.eu/')
    line = f"<!-- saved from url=({len(address):04}){address} -->\n<html"
    return re.sub("<html", line, text, count=1).encode()


def test_pages_that_a_browser_saved_are_the_list(fetcher, site, clock, tmp_path):
    """What the sentence says to do, and the next morning goes on from it."""
    (result,) = fetcher.fetch(site(says(b"", status=202)))
    folder = tmp_path / "saved"
    folder.mkdir()
    for number, (id, page) in enumerate(PAGES.items()):
        (folder / f"Assistants _ MEPs ({number}).html").write_bytes(saved(page, id))
    lists = fetcher.directory
    said = re.search(
        r"and (\S+) as (\S+), and read them: datasette mouvements read (.*)", result.detail
    )
    assert said
    (folder / said[2]).write_bytes(api_answer(MEMBERS))
    command = said[3].replace("-o lists/", f"-o {lists}/").split()
    assert command[1] == said[2]
    place = command.index("PAGE.html...")
    files = [str(folder / said[2]), *map(str, sorted(folder.glob("*.html")))]
    done = CliRunner().invoke(read, [command[0], *files, *command[place + 1 :]])
    assert done.exit_code == 0, done.output
    rows = (lists / "europarl" / "2026-09-14.csv").read_text().splitlines()
    assert len(rows) == 1 + len(PAGES)
    clock.passes(days=1)
    (result,) = fetcher.fetch(site())
    assert (result.is_kept, result.alarm) == (True, "")
